#!/bin/sh
# Checks the arrows between the folders of src/: who may include whose headers.
set -eu
cd "$(dirname "$0")/.."

allowed() {
	case $1 in
	base | own) echo "" ;;
	runtime) echo "own omp task trace" ;; # the hooks.h, trace/event.h
	omp) echo "own task trace base" ;;
	inside) echo "own runtime detect trace base" ;;
	trace | order) echo "base" ;;
	witness | task) echo "trace base" ;;
	report) echo "trace order base" ;;
	detect) echo "witness trace order base" ;;
	lang) echo "task trace order base" ;;
	record) echo "runtime report trace base" ;;
	cc) echo "pass omp base" ;; # pass/removals.def, omp/marks.def
	cli) echo "cc lang record report detect witness trace base" ;;
	*) echo "none" ;;
	esac
}

bad=0
for folder in src/*/; do
	from=$(basename "$folder")
	may=" $from $(allowed "$from") "
	case $may in *" none "*) echo "$folder: unknown folder, see scripts/check-includes.sh"; bad=1 ;; esac
	found=$(grep -rnoE '^[[:space:]]*#[[:space:]]*include "[a-z]+/' "$folder" |
		sed -E 's/^([^:]*:[0-9]+):.*"([a-z]+)\/$/\1 \2/') || true
	while read -r place to; do
		[ -n "$to" ] || continue
		case $may in *" $to "*) ;; *) echo "$place: $from/ must not include $to/"; bad=1 ;; esac
	done <<LIST
$found
LIST
done
[ $bad = 0 ] || exit 1
