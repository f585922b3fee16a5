#!/bin/sh
# `make demo`: a small program with a race, and what snag says about a trace of it.
set -eu
cd "$(dirname "$0")/.."

run() {
	printf '\n$ %s\n' "$*"
	"$@"
}

run sed -n 11,20p docs/examples/bank.c
run build/snag info docs/examples/bank.std
status=0
run build/snag analyze docs/examples/bank.std || status=$?
echo
if [ "$status" != 66 ]; then
	echo "demo: expected exit status 66 (races were reported), got $status" >&2
	exit 1
fi
echo "Exit status 66: races were reported.  'build/snag help analyze' says more."
