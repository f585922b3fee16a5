#!/usr/bin/env bats
# snag check: witnesses of figure 1a, and other ones.
load helper

@test "the valid one, in every form" {
	echo '{"witness": [3, 4, 5, 0, 1, 6]}' >object
	echo '[3, 4, 5, 0, 1, 6]' >array
	echo '3 4 5 0 1 6' >plain
	for w in object array plain; do
		snags check figure.std $w
		[ "$status" = 0 ]
		[ "$output" = "valid: 6 events that end with T0 w(V1) at 12 (event 1) and T1 w(V1) at 15 (event 6)" ]
	done
	snags check figure.std - <plain
	[ "$status" = 0 ]
}

@test "a prefix" {
	echo '{"prefix": {"T1": 3}, "witness": [0, 1, 6]}' >w
	snags check figure.std w
	[ "$status" = 0 ]
	[[ $output == "valid: 6 events "* ]]
}

@test "invalid ones say which rule breaks" {
	for w in '3 4 0 1 6' '0 1 2 3 4 5 6' '4 5 0 1 6' '1 6' '3 4 5 0 6' '3 4 5 0 1 1' '3'; do
		echo "$w" >w
		snags check figure.std w
		refused 2 "snag: check: w: not valid: *" || { echo "witness $w"; return 1; }
	done
}

@test "a witness file that is none" {
	for w in '' '[' '{}' '{"witness": 3}' '[1.5]' '[-1]' 'x'; do
		echo "$w" >w
		snags check figure.std w
		refused 2 "snag: check: w:*" || { echo "file $w"; return 1; }
	done
	snags check figure.std missing
	refused 2 "snag: check: missing: No such file or directory"
}

@test "--rules: with branches, a read that nothing depends on may change" {
	printf '%s\n' 'T0|w(x)|1' 'T1|r(x)|2' 'T1|r(y)|3' 'T2|w(y)|4' 'T2|br()|5' >rules.std
	echo '1 2 3' >w
	snags check --rules reads rules.std w
	refused 2 "snag: check: w: not valid: *"
	snags check --rules dependence rules.std w
	[ "$status" = 0 ]
	snags check rules.std w
	[ "$status" = 0 ]
}

@test "--lenient numbers events as the analysis did" {
	printf '%s\n' 'T0|rel(l)|0' 'T0|w(x)|1' 'T1|w(x)|2' >skip.std
	echo '0 1' >w
	snags check --lenient skip.std w
	[ "$status" = 0 ]
	[ "$stderr" = "snag: check: skip.std: skipped 1 that break the rules of traces" ]
}
