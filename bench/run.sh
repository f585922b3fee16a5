#!/bin/sh
# Measures reading and analysing of generated traces; writes docs/results/foundation.{csv,md}.
#
#   make bench                           everything: about 25 minutes, 8 GB in a temporary directory
#   BENCH_MAX_EVENTS=10000000 make bench no trace longer than that: about 5 minutes
#   BENCH_REPETITIONS=5 make bench       runs of each measurement (3)
#
# BENCH_OUT names another directory for the results.
set -eu

cd "$(dirname "$0")/.."
max_events=${BENCH_MAX_EVENTS:-100000000}
repetitions=${BENCH_REPETITIONS:-3}
out=${BENCH_OUT:-docs/results}
commit=$(git describe --always --dirty --abbrev=10 2>/dev/null || echo unknown)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$out"
csv=$dir/foundation.csv
build/bench/bench --header >"$csv"

# measure EVENTS THREADS [GEN-OPTIONS...]: all formats; CSV only up to 10M, it is the slowest to make
measure() {
	events=$1
	threads=$2
	shift 2
	[ "$events" -le "$max_events" ] || return 0
	configuration="events=$events threads=$threads${*:+ $*}"
	formats="snag std"
	[ "$events" -gt 10000000 ] || formats="$formats csv"
	for format in $formats; do
		echo "bench: $configuration: $format" >&2
		build/bench/gen --events "$events" --threads "$threads" "$@" -o "$dir/trace.$format"
		build/bench/bench -r "$repetitions" -c "$configuration" -C "$commit" \
			"$dir/trace.$format" >>"$csv"
		rm "$dir/trace.$format"
	done
}

sweep=$((max_events < 10000000 ? max_events : 10000000)) # the length for all but the first row
for events in 1000000 10000000 100000000; do
	measure "$events" 8
done
for threads in 2 32 128; do
	measure "$sweep" "$threads"
done
measure "$sweep" 8 --unprotected 0
measure "$sweep" 8 --skew 0.9

cp "$csv" "$out/foundation.csv"
bench/summary.py "$out/foundation.csv" "$out/foundation.md"
echo "bench: wrote $out/foundation.csv and $out/foundation.md" >&2
