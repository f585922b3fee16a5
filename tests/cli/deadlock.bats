#!/usr/bin/env bats
# Deadlocks of traces: snag analyze --with deadlock, and snag check of their witnesses.
load helper

# Two threads take a and b, in the order that $1 and $2 say; $3: an event of T0 between them, if any.
inversion() {
	printf '%s\n' 'T0|fork(T1)|1' ${3:+"$3"} "T1|acq(${1%,*})|10" "T1|acq(${1#*,})|11" "T1|rel(${1#*,})|12" \
		"T1|rel(${1%,*})|13" ${4:+"$4"} 'T0|fork(T2)|2' "T2|acq(${2%,*})|20" "T2|acq(${2#*,})|21" \
		"T2|rel(${2#*,})|22" "T2|rel(${2%,*})|23"
}

@test "an inversion that the trace did not show" {
	inversion a,b b,a >t.std
	snags analyze --with deadlock --json out.json --witness w t.std
	[ "$status" = 66 ]
	[[ $output == *"DEADLOCK predicted b, a: 11 / 21"* ]]
	[[ $output == *"T1 holds a since 10 (event 1) and waits for b at 11 (event 2)"* ]]
	[[ $output == *"T2 holds b since 20 (event 6) and waits for a at 21 (event 7)"* ]]
	[[ $output == *"SUMMARY: snag: 1 deadlock found in t.std"* ]]
	[ "$(jq -c '.analyses[0].deadlocks[0] | [.events, .threads, .locks, .held, .verdict]' out.json)" = \
		'[[2,7],["T1","T2"],["b","a"],[1,6],"predicted"]' ]
	[ "$(jq .analyses[0].complete out.json)" = true ]
	snags check t.std w/deadlock-1.json
	[ "$status" = 0 ]
	[[ $output == "valid: 4 events that end in a deadlock: T1 acq(b) at 11 (event 2) waits, "* ]]
	# what JSON says is a witness file
	jq '.analyses[0].deadlocks[0] | {witness, deadlock: .events}' out.json >j
	snags check t.std j
	[ "$status" = 0 ]
}

@test "no deadlock: one order, a gate lock, join order, one thread" {
	inversion a,b a,b >order.std
	inversion a,b b,a '' 'T0|join(T1)|3' >join.std
	printf '%s\n' 'T0|acq(a)|1' 'T0|acq(b)|2' 'T0|rel(b)|3' 'T0|rel(a)|4' 'T0|acq(b)|5' 'T0|acq(a)|6' 'T0|rel(a)|7' \
		'T0|rel(b)|8' 'T1|acq(a)|9' 'T1|rel(a)|10' 'T1|acq(b)|11' 'T1|rel(b)|12' >thread.std
	printf '%s\n' 'T0|acq(g)|1' 'T0|acq(a)|1' 'T0|acq(b)|2' 'T0|rel(b)|3' 'T0|rel(a)|4' 'T0|rel(g)|4' 'T1|acq(g)|5' 'T1|acq(b)|5' \
		'T1|acq(a)|6' 'T1|rel(a)|7' 'T1|rel(b)|8' 'T1|rel(g)|8' >gate.std
	for t in order join thread gate; do
		snags analyze --with deadlock --json out.json $t.std
		[ "$status" = 0 ] || { echo $t; return 1; }
		[ "$(jq -c '.analyses[0] | [.complete, .deadlocks]' out.json)" = '[true,[]]' ]
	done
}

@test "what a read saw keeps threads apart" {
	# T2 takes the locks only after it has seen what T1 wrote after its own
	printf '%s\n' 'T1|acq(a)|10' 'T1|acq(b)|11' 'T1|rel(b)|12' 'T1|rel(a)|13' 'T1|w(x)|14' 'T2|r(x)|19' 'T2|acq(b)|20' 'T2|acq(a)|21' \
		'T2|rel(a)|22' 'T2|rel(b)|23' >t.std
	snags analyze --with deadlock t.std
	[ "$status" = 0 ]
	sed -i 's/w(x)/w(y)/' t.std
	snags analyze --with deadlock t.std
	[ "$status" = 66 ]
}

@test "three threads, joins" {
	printf '%s\n' 'T1|acq(a)|1' 'T1|acq(b)|2' 'T1|rel(b)|3' 'T1|rel(a)|4' 'T2|acq(b)|5' 'T2|acq(c)|6' 'T2|rel(c)|7' 'T2|rel(b)|8' \
		'T3|acq(c)|9' 'T3|acq(a)|10' 'T3|rel(a)|11' 'T3|rel(c)|12' >three.std
	snags analyze --with deadlock --json - three.std
	[ "$status" = 66 ]
	[ "$(jq -c '.analyses[0].deadlocks[0] | [.events, .locks]' <<<"$output")" = '[[1,5,9],["b","c","a"]]' ]
	printf '%s\n' 'T0|fork(T1)|1' 'T1|acq(a)|10' 'T1|rel(a)|11' 'T0|acq(a)|2' 'T0|join(T1)|3' 'T0|rel(a)|4' >join.std
	snags analyze --with deadlock join.std
	[ "$status" = 66 ]
	[[ $output == *"T1 waits for a at 10 (event 1)"* ]]
	[[ $output == *"T0 holds a since 2 (event 3) and waits for the end of T1 at 3 (event 4)"* ]]
}

@test "a witness of a deadlock that is none" {
	inversion a,b b,a >t.std
	for w in '{"witness": [0,1,5,6], "deadlock": [2,8]}' '{"witness": [0,1,5], "deadlock": [2,7]}' \
		'{"witness": [0,1,5,6], "deadlock": [2]}' '{"witness": [0,1,5,6], "deadlock": [2,7,7]}' \
		'{"witness": [0,1,5,6], "deadlock": [2,99]}' '{"witness": [0,1,5,6,7], "deadlock": [2,7]}' \
		'{"witness": [0,1,2,5,6], "deadlock": [3,7]}'; do
		echo "$w" >w
		snags check t.std w
		refused 2 "snag: check: w: not valid: *" || { echo "witness $w"; return 1; }
	done
	for w in '{"witness": [0], "deadlock": []}' '{"witness": [0], "deadlock": [1], "deadlock": [2]}'; do
		echo "$w" >w
		snags check t.std w
		refused 2 "snag: check: w:1: *" || { echo "file $w"; return 1; }
	done
}

@test "races and deadlocks together, and from a pipe" {
	inversion a,b b,a 'T0|w(x)|5' | sed 's/T2|rel(b)|23/&\nT2|w(x)|24/; s/T1|rel(a)|13/&\nT1|w(x)|14/' >t.std
	for how in t.std -; do
		snags analyze --with hb,m2,deadlock --json - $how <t.std
		[ "$status" = 66 ]
		[ "$(jq -c '[.analyses[] | [.name, (.races | length), (.deadlocks | length)]]' <<<"$output")" = \
			'[["hb",2,0],["m2",2,0],["deadlock",0,1]]' ] || { echo "$output"; return 1; }
	done
}
