#!/usr/bin/env bats
# Random C programs with threads: wdp, its replays, and every interleaving (tests/threads/check.py);
# make oracle-threads runs more.
load helper

programs=6
if is_sanitized; then programs=2; fi

@test "what wdp reports races in some interleaving, and its replay confirms it" {
	run "$root/tests/threads/check.py" --programs $programs "$SNAG" 20261118
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *"programs $programs, "* ]]
}
