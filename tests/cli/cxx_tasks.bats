#!/usr/bin/env bats
# C++ programs of <snag/task.hpp>: futures, promises, shared pointers, exceptions, captures.
load helper

one() { # SOURCE: its verdict is right
	local want=0 where
	"$SNAG" c++ -g "$level" -std=c++17 -fsnag-task "$1" -o prog || return
	"$SNAG" run ./prog >out 2>err || status=$?
	where=$(sed -nE 's/^ \* race: (.*)/\1/p' "$1")
	[ -z "$where" ] || want=66
	[ "${status:-0}" = $want ] || { echo "$1: status ${status:-0}"; cat err; return 1; }
	[ -z "$where" ] || grep -qE "(Location is|of size [0-9]+ at) .*$where" err
}

all() { # PART COMPILER LEVEL
	local program
	export SNAG_CC=$2
	level=$3
	for program in $(part "$1" "$root"/tests/cxx/programs/*.cpp); do
		status=0
		one "$program"
	done
}

@test "gcc -O0" {
	all 0 gcc -O0
}

@test "gcc -O2" {
	all 1 gcc -O2
}

@test "clang -O0" {
	all 2 clang -O0
}

@test "clang -O2" {
	all 3 clang -O2
}

@test "a promise of C++ stands in the way of no verdict" {
	"$SNAG" c++ -g -std=c++17 -fsnag-task "$root/tests/cxx/programs/norace_promise.cpp" -o prog
	run --separate-stderr "$SNAG" run ./prog
	[ "$stderr" = "snag: race-free for this input on every schedule" ]
}

@test "the tests of <snag/task.hpp> have no race" {
	is_sanitized && skip "the same programs, four times as slow"
	echo 'int detector_is_attached;' >attached.c
	"$SNAG" cc -c attached.c
	"$SNAG" c++ -g -std=c++17 -fsnag-task "$root/tests/cxx/test_task_cxx.cpp" attached.o -o tests
	run --separate-stderr "$SNAG" run ./tests
	[ "$status" = 0 ]
	[[ $stderr != *"data race"* ]]
}
