#!/usr/bin/env bats
# The task programs of bench/programs/tasks at their small size: each is race-free on every schedule
# as it is, and has a race with -DMISTAKE=1.
load helper

suite=$BATS_TEST_DIRNAME/../../bench/programs/tasks
sanitized=$(nm "${SNAG:-/dev/null}" 2>/dev/null | grep -o -m1 __asan_init || true)

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

all() { # COMPILER MISTAKE
	local source
	for source in "$suite"/*.c; do
		# The programs are the same; a sanitized tool gets some of them.
		[[ $sanitized && $source != */[a-l]*.c ]] && continue
		judge "$1" "$2" "$source" || { echo "$source, $1"; cat out err; return 1; }
	done
}

@test "the programs of the papers' tables are race-free" {
	all clang 0
}

@test "each of them with a mistake is not" {
	all gcc 1
}

@test "the detectors inside use no memory of the program" {
	nm -u "$(dirname "$SNAG")/snag_judge.o" >symbols
	grep -q inside_malloc symbols
	grep -v ' inside_' symbols >outside
	refute grep -E ' (.*alloc.*|.*memalign|strn?dup|free|m(re|un)?map|s?brk)$' outside
}
