#!/bin/sh
# `make demo`: two small programs with a race, and what snag says about a trace of each.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

run() {
	printf '\n$ %s\n' "$*"
	"$@"
}

# expect STATUS COMMAND...
expect() {
	expected=$1 status=0
	shift
	run "$@" || status=$?
	if [ "$status" != "$expected" ]; then
		echo "demo: expected exit status $expected, got $status" >&2
		exit 1
	fi
}

echo "A race that the observed run shows: the balance is printed without the lock."
expect 0 sed -n 11,20p docs/examples/bank.c
expect 66 build/snag analyze docs/examples/bank.std

echo
echo "A race that it hides: the report took the lock after the last update, as if that ordered them."
expect 0 sed -n 11,26p docs/examples/report.c
expect 0 build/snag analyze --with hb docs/examples/report.std
expect 66 build/snag analyze --with m2 --witness "$dir" docs/examples/report.std
expect 0 build/snag check docs/examples/report.std "$dir/race-1.json"

echo
echo "Exit status 66: races were reported.  'build/snag help analyze' says more."
