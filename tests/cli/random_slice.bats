#!/usr/bin/env bats
# Random programs with threads: snag reports the same with the slice and the scout, and without.  make
# oracle-slice runs more.
load helper

programs=120 generated=3
if is_sanitized; then programs=30 generated=1; fi

@test "programs that are made up while they run" {
	run "$root/tests/threads/slice_many.py" --programs $programs --sizes 1,4,16 "$SNAG" 20261118
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *"programs $programs, "*", different 0"* ]]
}

@test "programs that are generated and compiled" {
	run "$root/tests/threads/slice.py" --programs $generated --seeds 1 "$SNAG" 20261118
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *"programs $generated, "*", different 0"* ]]
}
