#!/bin/sh
# Measures reading and analysing of generated traces; writes docs/results/foundation.{csv,md} (readers and
# hb, shb, lockset), docs/results/prediction.{csv,md} (the predictive orders and m2) and
# docs/results/tasks.{csv,md} (running tasks), docs/results/graphs.{csv,md} (graphs of tasks),
# docs/results/explore.{csv,md} (exploring their schedules),
# docs/results/suites* (the task programs of the papers, judged from inside, and other tools),
# docs/results/programs.{csv,md} (recording programs, beside ThreadSanitizer),
# docs/results/compile.{csv,md} (compiling, beside ThreadSanitizer),
# docs/results/whole.{csv,md} (`snag run` as a user waits for it, beside ThreadSanitizer),
# docs/results/parallel.md (threads that run in parallel, beside ThreadSanitizer).
#
#   make bench                           everything: about 30 minutes, 2 GB in a temporary directory
#   BENCH_MAX_EVENTS=10000000 make bench no trace longer than that: about 5 minutes
#   BENCH_REPETITIONS=5 make bench       runs of each measurement (3)
#   BENCH_PARTS="prediction" make bench  only these: foundation prediction tasks graphs explore task_traces programs compile whole free
#   BENCH_SOURCES="a.c b.c" make bench   C files to compile, beside the generated one
#   BENCH_PACKAGES_TABLE=FILE make bench programs built outside the tree to run, see docs/results/whole.md
#   BENCH_FREE_TABLE=FILE make bench     the same, and servers, see docs/results/parallel.md
#
# BENCH_OUT names another directory for the results.
set -eu

cd "$(dirname "$0")/.."
max_events=${BENCH_MAX_EVENTS:-100000000}
repetitions=${BENCH_REPETITIONS:-3}
out=${BENCH_OUT:-docs/results}
all="foundation prediction tasks graphs explore task_traces programs compile whole free"
parts=${BENCH_PARTS:-$all}
for part in $parts; do
	case " $all " in
	*" $part "*) ;;
	*) echo "bench: no part '$part' of $all" >&2 && exit 2 ;;
	esac
done
commit=$(cd bench && python3 -c 'import results; print(results.commit())')
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$out"

# wants PART: whether it is to be measured
wants() {
	case " $parts " in
	*" $1 "*) echo "bench: $1" >&2 ;;
	*) return 1 ;;
	esac
}

# results NAME PROGRAMS: what follows measures these programs for docs/results/NAME.*
results() {
	csv=$dir/$1.csv
	programs=$2
	build/bench/bench --header >"$csv"
}

# measure FORMATS EVENTS THREADS [GEN-OPTIONS...]
measure() {
	formats=$1
	events=$2
	threads=$3
	shift 3
	configuration="events=$events threads=$threads${*:+ $*}"
	runs=$repetitions
	[ "$events" -le 10000000 ] || runs=$(((repetitions + 2) / 3)) # a long run averages itself
	for format in $formats; do
		echo "bench: $configuration: $format" >&2
		build/bench/gen --events "$events" --threads "$threads" "$@" -o "$dir/trace.$format"
		build/bench/bench -r "$runs" -c "$configuration" -C "$commit" -p "$programs" \
			"$dir/trace.$format" >>"$csv"
		rm "$dir/trace.$format"
	done
}

# written NAME: the tables of docs/results/NAME.*
written() {
	cp "$dir/$1.csv" "$out/$1.csv"
	bench/summary.py "$out/$1.csv" "$out/$1.md"
	echo "bench: wrote $out/$1.csv and $out/$1.md" >&2
}

lengths=""
for events in 1000000 10000000 100000000; do
	[ "$events" -gt "$max_events" ] || lengths="$lengths $events"
done
[ -n "$lengths" ] || lengths=$max_events
for events in $lengths; do
	[ "$events" -gt 10000000 ] || sweep=$events
done

if wants foundation; then
	results foundation read,check,hb,shb,lockset
	# CSV has a field per thread and event: where events are many or threads are, it takes too long.
	for events in $lengths; do
		[ "$events" -gt 10000000 ] && formats="snag std" || formats="snag std csv"
		measure "$formats" "$events" 8
	done
	for threads in 2 32 128; do
		measure "snag std" "$sweep" "$threads"
	done
	measure "snag std" "$sweep" 8 --unprotected 0
	measure "snag std" "$sweep" 8 --skew 0.9
	programs=read,check,hb,shb,lockset,wcp # threads in turn, about 100,000 in 10M events
	measure snag "$sweep" 8 --life 9
	written foundation
fi

if wants prediction; then
	results prediction wcp,sdp,sdpx,dc,wdp,m2
	for events in $lengths; do
		[ "$events" -gt 10000000 ] && programs=m2 # the others take minutes
		measure snag "$events" 8
	done
	programs=wcp,sdp,sdpx,dc,wdp,m2
	measure snag "$sweep" 32
	measure snag "$sweep" 8 --branches 0.3
	written prediction
fi

if wants tasks; then
	bench/tasks.sh "$repetitions" "$commit" "$dir"
	cp "$dir/tasks.csv" "$dir/task-runtimes.csv" "$out/"
	bench/tasks.py "$out/tasks.csv" "$out/task-runtimes.csv" "$out/tasks.md"
	echo "bench: wrote $out/tasks.csv, $out/task-runtimes.csv and $out/tasks.md" >&2
fi

if wants graphs; then
	build/bench/graphs -r "$repetitions" -C "$commit" tests/tasks/table3_*.task >"$dir/graphs.csv"
	cp "$dir/graphs.csv" "$out/graphs.csv"
	bench/graphs.py "$out/graphs.csv" "$out/graphs.md"
	echo "bench: wrote $out/graphs.csv and $out/graphs.md" >&2
fi

if wants explore; then
	bench/explore.py build/snag tests/tasks "$repetitions" "$commit" "$out/explore.csv" "$out/explore.md"
	echo "bench: wrote $out/explore.csv and $out/explore.md" >&2
fi

if wants task_traces; then
	build/bench/task_traces -r "$repetitions" -C "$commit" -w spbags,espbags,drdp >"$dir/task_traces.csv"
	for run in strassen-512-16 sparselu-32-8 poisson-2048-128-3; do
		program=${run%%-*}
		SNAG_CC=clang build/snag cc -fsnag-task -O2 -g -o "$dir/$program" "bench/programs/tasks/$program.c" -lm
		build/snag record -o "$dir/$run.snag" "$dir/$program" orders >&2
	done
	build/bench/task_traces -s >"$dir/task_searches.csv"
	build/bench/task_traces -s "$dir"/*-*-*.snag | tail -n +2 >>"$dir/task_searches.csv"
	cp "$dir/task_traces.csv" "$dir/task_searches.csv" "$out/"
	bench/task_traces.py "$out/task_traces.csv" "$out/task_searches.csv" "$out/task_traces.md"
	echo "bench: wrote $out/task_traces.csv, $out/task_searches.csv and $out/task_traces.md" >&2
fi

if wants programs; then
	bench/suites.py --repetitions "$repetitions" build/snag "$out"
	bench/suites_page.py "$out"
	bench/programs.py build/snag "$repetitions" "$commit" "$out/programs.csv" "$out/programs.md"
	bench/free.py build/snag "$repetitions" "$commit" "$out/parallel.md"
	echo "bench: wrote $out/programs.csv, $out/programs.md and $out/parallel.md" >&2
fi

if wants compile; then
	# shellcheck disable=SC2086 # words
	bench/compile.py build/snag "$repetitions" "$commit" "$out/compile.csv" "$out/compile.md" ${BENCH_SOURCES:-}
	echo "bench: wrote $out/compile.csv and $out/compile.md" >&2
fi

if wants whole; then
	bench/whole.py build/snag "$repetitions" "$commit" "$out/whole.csv" "$out/whole.md" "${BENCH_PACKAGES_TABLE:-}"
	echo "bench: wrote $out/whole.csv and $out/whole.md" >&2
fi

if wants free; then
	bench/free.py build/snag "$repetitions" "$commit" "$out/parallel.md" "${BENCH_FREE_TABLE:-}"
	echo "bench: wrote $out/parallel.md" >&2
fi
