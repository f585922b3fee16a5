#!/bin/sh
# `make demo`: a program whose race ThreadSanitizer does not see, what snag says about it, and its replay; then
# the same on a recorded trace, and a task-parallel program judged for every schedule.
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

echo "The report is printed without the lock, but the lock was taken just before, as if that ordered them."
expect 0 sed -n 11,26p docs/examples/report.c

if gcc -O1 -g -pthread -fsanitize=thread -o "$dir/tsan" docs/examples/report.c 2>/dev/null && "$dir/tsan" >/dev/null 2>&1; then
	echo
	echo "ThreadSanitizer, 20 runs:"
	i=0 found=0
	while [ $i -lt 20 ]; do
		"$dir/tsan" >/dev/null 2>&1 || found=$((found + 1))
		i=$((i + 1))
	done
	echo "$found of 20 runs reported a race"
fi

echo
echo "snag, one run:"
expect 0 build/snag cc -O1 -g -pthread -o "$dir/report" docs/examples/report.c
expect 66 build/snag run --witness "$dir/races" "$dir/report"
echo
echo "The witness again, as a schedule that the program follows:"
expect 66 build/snag replay "$dir/races/race-1.json" "$dir/report"

echo
echo "The same race in a recorded trace, and its witness checked independently:"
expect 66 build/snag analyze --with m2 --witness "$dir" docs/examples/report.std
expect 0 build/snag check docs/examples/report.std "$dir/race-1.json"

echo
echo "A program of tasks, judged by one run and then run in every order that can matter:"
expect 66 build/snag task --explore docs/examples/promise.task

echo
echo "Exit status 66: races were reported.  'build/snag help run' says more."
