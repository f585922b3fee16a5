#!/usr/bin/env bats
# The task programs of bench/programs/tasks at their small size: each is race-free on every schedule
# as it is, and has a race with -DMISTAKE=1.
load helper

suite=$BATS_TEST_DIRNAME/../../bench/programs/tasks

judge() { # COMPILER MISTAKE SOURCE
	local status=0
	SNAG_CC=$1 "$SNAG" cc -O2 -g -fsnag-task -DMISTAKE="$2" -o prog "$3" -lm
	timeout 60 "$SNAG" run ./prog small >out 2>err || status=$?
	local verdict='race-free for this input on every schedule'
	if [ "$2" = 1 ]; then
		[ $status = 66 ]
	else
		[ $status = 0 ] && [ "$(cat out)" = right ] && grep -q "^snag: $verdict" err
	fi
}

all() { # PART COMPILER MISTAKE
	local source
	for source in $(part "$1" "$suite"/*.c); do
		judge "$2" "$3" "$source" || { echo "$source, $2"; cat out err; return 1; }
	done
}

@test "the programs of the papers' tables are race-free" {
	all 0 clang 0
}

@test "each of them with a mistake is not" {
	all 1 gcc 1
}

@test "the detectors inside use no memory of the program" {
	nm -u "$(dirname "$SNAG")/snag_judge.o" >symbols
	grep -q inside_malloc symbols
	grep -v ' inside_' symbols >outside
	refute grep -E ' (.*alloc.*|.*memalign|strn?dup|free|m(re|un)?map|s?brk)$' outside
}
