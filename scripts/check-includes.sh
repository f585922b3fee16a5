#!/bin/sh
# Checks the arrows between the folders of src/: who may include whose headers.
set -eu
cd "$(dirname "$0")/.."

allowed() {
	case $1 in
	base | own) echo "" ;;
	shadow) echo "base" ;;
	runtime) # init.c starts every room; table.h stands on base/keyed.h
		echo "runtime/access runtime/channel runtime/interpose runtime/sched runtime/tasks own omp task trace base" ;;
	runtime/channel) echo "runtime runtime/access runtime/tasks own trace" ;; # obstacles.def
	runtime/access) echo "runtime runtime/channel runtime/sched runtime/tasks own omp trace" ;; # hooks.h
	runtime/tasks) echo "runtime runtime/access runtime/channel runtime/interpose runtime/sched own omp task trace" ;;
	runtime/sched) echo "runtime runtime/access runtime/channel runtime/interpose runtime/tasks omp trace" ;;
	runtime/interpose) echo "runtime runtime/access runtime/channel runtime/sched runtime/tasks" ;;
	runtime/hooks) echo "" ;; # linked into programs, beside the runtime
	omp) echo "own task trace base" ;;
	inside) echo "own runtime shadow detect trace base" ;;
	trace) echo "trace/snag trace/text base" ;; # formats.def; splits.h; words of events in messages
	trace/snag | trace/text) echo "trace base" ;;
	order) echo "base" ;;
	witness | task) echo "trace base" ;; # so the checker knows nothing of decide/
	witness/decide) echo "witness trace base" ;;
	report) echo "report/source trace order base" ;; # chrome.c
	report/source | report/tasks) echo "report report/source trace order base" ;;
	report/incident) echo "report report/source report/tasks trace order base" ;;
	report/html) echo "report report/source report/tasks report/incident trace order base" ;;
	detect) echo "detect/slice witness trace order base" ;; # contended.h
	detect/slice) echo "detect witness shadow trace order base" ;;
	detect/threads | detect/predictive | detect/tasks | detect/partners | detect/candidates | detect/deadlock)
		echo "detect witness trace order base" ;;
	detect/analyze)
		echo "detect detect/slice detect/partners detect/candidates detect/deadlock witness trace order base" ;;
	lang) echo "task trace order base" ;;
	record) echo "record/convert runtime trace base" ;;
	record/convert) echo "record runtime report trace base" ;;
	record/replay) echo "record report trace base" ;;
	explore) echo "record runtime report detect trace base" ;;
	cc) echo "cc/openmp cc/fortran cc/updates cc/text pass base" ;; # pass/removals.def
	cc/text) echo "base" ;;
	cc/openmp) echo "cc/text omp base" ;; # omp/marks.def
	cc/fortran) echo "cc/openmp cc/text base" ;;
	cc/updates) echo "cc/text" ;;
	scout) echo "record detect runtime trace base" ;;
	cli | cli/analyze | cli/explore | cli/run | cli/task)
		echo "cli cli/analyze cli/explore cli/run cli/task cc lang explore scout record report detect witness trace base" ;;
	*) echo "none" ;;
	esac
}

bad=0
for folder in src/*/ src/*/*/; do
	ls "$folder" | grep -q '\.[ch]$' || continue
	from=${folder#src/} from=${from%/}
	may="$(allowed "$from")"
	case $may in none) echo "$folder: unknown folder, see scripts/check-includes.sh"; bad=1 ;; esac
	found=$(grep -noE '^[[:space:]]*#[[:space:]]*include "[a-z]+/[a-z/]*' "$folder"*.[ch] /dev/null |
		sed -E 's/^([^:]*:[0-9]+):.*"([a-z/]+)\/[a-z]*$/\1 \2/') || true
	while read -r place to; do
		[ -n "$to" ] || continue
		# Another folder with all that is in it; of the same one, only the parts that are named.
		is_ok=$([ "$to" = "$from" ] && echo yes || true)
		for other in $may; do
			case $to in "$other") is_ok=yes ;; esac
			case $to in "$other"/*) [ "${to%%/*}" = "${from%%/*}" ] || is_ok=yes ;; esac
		done
		[ -n "$is_ok" ] || { echo "$place: $from/ must not include $to/"; bad=1; }
	done <<LIST
$found
LIST
done
[ $bad = 0 ] || exit 1
