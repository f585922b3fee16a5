#!/usr/bin/env bash
# Runs every libFuzzer target of build-fuzz/ for FUZZ_SECONDS (default 60) each, from its corpus
# in tests/fuzz/corpus/; prints one line per target and fails if one finds something.  What it
# finds is left in build-fuzz/found/, new inputs in build-fuzz/corpus/:  fuzz.sh [TARGET...]
set -uo pipefail
cd "$(dirname "$0")/.." || exit
seconds=${FUZZ_SECONDS:-60}
build=build-fuzz
# A short quarantine keeps the memory of a run in the cache: several times as many runs.
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=8}
if [ $# = 0 ]; then
	for path in "$build"/fuzz/fuzz_*; do
		[ -x "$path" ] && set -- "$@" "${path##*/fuzz_}"
	done
fi
[ $# -gt 0 ] || { echo "fuzz: no targets in $build/fuzz, see make fuzz" >&2; exit 2; }

bad=0
for name in "$@"; do
	[ -x "$build/fuzz/fuzz_$name" ] || { echo "fuzz: no target $name in $build/fuzz" >&2; exit 2; }
	grown=$build/corpus/$name found=$build/found/$name log=$build/found/$name.log
	mkdir -p "$grown" "$found"
	"$build/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$found/" -print_final_stats=1 "$grown" "tests/fuzz/corpus/$name" \
		>"$log" 2>&1
	status=$?
	runs=$(sed -nE 's/^stat::number_of_executed_units: *//p' "$log")
	if [ $status = 0 ]; then
		echo "fuzz_$name: ok, ${runs:-0} runs in $seconds s"
	else
		echo "fuzz_$name: FAILED after ${runs:-?} runs, see $log and $found/"
		bad=1
	fi
done
exit $bad
