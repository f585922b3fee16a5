#!/usr/bin/env bats
# Deadlocks of programs: snag run.
load helper

setup_file() {
	export PROGS="$BATS_FILE_TMPDIR"
	local root="$BATS_TEST_DIRNAME/../.."
	local SNAG=${SNAG:-$root/build/snag}
	for path in "$root"/tests/programs/deadlock/*; do
		local name=${path##*/} cc=cc
		[ "${name##*.}" = cpp ] && cc=c++
		for real in gcc clang; do
			SNAG_CC=$real "$SNAG" $cc -g -O1 -pthread -o "$PROGS/${name%.*}-$real" "$path"
		done
	done
}

# A seed at which the program ends by itself, although it has a deadlock.
quiet_seed() {
	local seed=1
	until "$SNAG" run --seed $seed --no-replay --json quiet.json "$1" 2>quiet.err; [ "$(jq .program.status quiet.json)" = 0 ]; do
		seed=$((seed + 1))
		[ $seed -lt 40 ]
	done
	echo $seed
}

@test "no deadlock: silent at every seed" {
	for name in one_thread gate readers trylock fresh; do
		for real in gcc clang; do
			for seed in 1 2 3 4 5 6; do
				snags run --seed $seed "$PROGS/$name-$real"
				[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$name-$real $seed: $stderr"; return 1; }
			done
		done
	done
}

@test "a deadlock is found at every seed: it happened, or is proved and replayed" {
	for name in inversion writers three join; do
		for real in gcc clang; do
			for seed in 1 2 3 4 5 6; do
				snags run --seed $seed --json j "$PROGS/$name-$real"
				[ "$status" = 66 ] || { echo "$name-$real $seed: $stderr"; return 1; }
				jq -e '.incidents | length == 1 and (.[0] | .kind == "deadlock" and
					(.verdict == "observed" or .verdict == "predicted" and .replay == "confirmed"))' j ||
					{ echo "$name-$real $seed: $stderr"; return 1; }
			done
		done
	done
}

@test "a deadlock that happens is reported like a predicted one" {
	seed=1
	until SNAG_OPTIONS=switch_in=2 "$SNAG" run --seed $seed --no-replay --json j --sarif s --html h "$PROGS/inversion-clang" 2>err; grep -q '^snag: deadlock: no thread' err; do
		seed=$((seed + 1))
		[ $seed -lt 40 ]
	done
	grep -q '^WARNING: snag: deadlock (pid=' err
	grep -q '^  Thread T1 waits for second at:' err
	grep -q '^  and holds first since:' err
	grep -q '^  Observed: ' err
	[ "$(jq -c '[.incidents[] | [.kind, .verdict, (.waits | length), .waits[0].stack[0].function]]' j)" = '[["deadlock","observed",2,"deposit"]]' ] ||
		[ "$(jq -c '[.incidents[] | [.kind, .verdict, (.waits | length), .waits[0].stack[0].function]]' j)" = '[["deadlock","observed",2,"withdraw"]]' ]
	[ "$(jq -r '.runs[0].results[0].ruleId' s)" = deadlock.observed ]
	grep -q '"kind":"deadlock"' h
}

@test "snag replay of a deadlock" {
	seed=$(quiet_seed "$PROGS/three-gcc")
	snags run --seed "$seed" --no-replay --witness w "$PROGS/three-gcc"
	[ "$status" = 66 ]
	snags replay w/deadlock-1.json "$PROGS/three-gcc"
	[ "$status" = 66 ]
	[ "$stderr" = "snag: replay: confirmed: 3 threads waited for each other" ]
	# another program does not get there
	snags replay w/deadlock-1.json "$PROGS/gate-gcc"
	[ "$status" = 0 ]
	[[ $stderr == "snag: replay: diverged: "* ]]
}

@test "the report names locks and lines" {
	seed=$(quiet_seed "$PROGS/inversion-gcc")
	snags run --seed "$seed" --no-replay --witness w --keep t.snag --json j --sarif s --html h "$PROGS/inversion-gcc"
	[ "$status" = 66 ]
	[[ $stderr == *"WARNING: snag: lock-order-inversion (potential deadlock) (pid="* ]]
	[[ $stderr == *"Thread T1 waits for second at:"*"#0 deposit "*"inversion.c:"*"and holds first since:"*"#0 deposit "* ]]
	[[ $stderr == *"Thread T2 waits for first at:"*"#0 withdraw "*"and holds second since:"* ]]
	[[ $stderr == *"snag: reported 1 warning: 1 predicted"* ]]
	[ "$(jq -c '[.incidents[] | [.kind, .verdict, (.locks | sort)]]' j)" = '[["deadlock","predicted",["first","second"]]]' ]
	[ "$(jq '[.analyses[] | select(.name == "deadlock") | .deadlocks[]] | length' j)" = 1 ]
	[ "$(jq -r '.runs[0].results[0].ruleId' s)" = deadlock.predicted ]
	grep -q '"kind":"deadlock"' h
	snags check t.snag w/deadlock-1.json
	[ "$status" = 0 ]
	# what the recording says is the same
	snags analyze --with deadlock t.snag
	[ "$status" = 66 ]
}

@test "locks in an array have the names of the source" {
	seed=$(quiet_seed "$PROGS/three-gcc")
	snags run --seed "$seed" --no-replay --json j "$PROGS/three-gcc"
	[ "$status" = 66 ]
	[[ $stderr == *"Thread T1 waits for lock[1] at:"*"and holds lock[0] since:"* ]]
	[ "$(jq -c '[.incidents[0] | .locks, [.waits[].waits_for], [.waits[].holds] | sort]' j)" = \
		'[["lock[0]","lock[1]","lock[2]"],["lock[0]","lock[1]","lock[2]"],["lock[0]","lock[1]","lock[2]"]]' ]
}

@test "suppressed, or not wanted" {
	seed=$(quiet_seed "$PROGS/inversion-gcc")
	echo 'deadlock:deposit' >supp
	snags run --seed "$seed" --suppressions supp "$PROGS/inversion-gcc"
	[ "$status" = 0 ]
	[[ $stderr == *"(1 suppressed)"* ]]
	TSAN_OPTIONS=detect_deadlocks=0 snags run --seed "$seed" "$PROGS/inversion-gcc"
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	snags run --with hb --seed "$seed" "$PROGS/inversion-gcc"
	[ "$status" = 0 ]
}

@test "JUnit and a baseline know deadlocks" {
	"$SNAG" cc -g -O1 -pthread -o prog "$root/tests/programs/deadlock/inversion.c"
	snags run --junit d.xml --json d.json ./prog
	[ "$status" = 66 ]
	python3 -c 'import xml.etree.ElementTree as t
case = t.parse("d.xml").getroot().find("testsuite").find("testcase")
assert "second, first" in case.get("name") or "first, second" in case.get("name"), case.get("name")
assert "inversion.c:" in case.find("failure").text'
	snags run --baseline d.json ./prog
	[ "$status" = 0 ]
	run --separate-stderr ./prog
	[ "$status" = 66 ]
	[[ $stderr == *"potential deadlock"* ]]
}

@test "a condition: its lock is taken again, and a wait that nothing ends is reported" {
	for real in gcc clang; do
		local proved=0 stuck=0
		for seed in $(seq 1 16); do
			snags run --seed $seed --json j --sarif s --html h "$PROGS/condition-$real"
			[ "$status" = 66 ]
			# predicted ones are confirmed
			[ "$(jq '[.incidents[] | .kind == "deadlock" and (.verdict == "observed" or .replay == "confirmed")] | length > 0 and all' j)" = true ] ||
				{ echo "$real $seed: $stderr"; return 1; }
			proved=$((proved + $(jq '[.incidents[] | select(.replay == "confirmed" and any(.waits[]; .stack[0].function == "take"))] | length' j)))
			[ "$(jq -r '.incidents[0].title' j)" = "deadlock: no thread can run" ] || continue
			stuck=$((stuck + 1))
			[ "$(jq -r '.incidents | length, (.[0] | .object, .thread, .stack[0].function, .verdict) | tostring' j | xargs)" = "1 filled T1 take observed" ]
			[ "$(jq -r '.runs[0].results[0].ruleId' s)" = deadlock.stuck ]
			grep -q '"title":"deadlock: no thread can run"' h
			[[ $stderr == *"WARNING: snag: deadlock: no thread can run (pid="*"  Wait for filled by thread T1:"*"#0 take "* ]]
			[[ $stderr == *"  Observed: No thread can run, so nothing ends this wait."* ]]
			echo 'deadlock:take' >supp
			snags run --seed $seed --suppressions supp --json j "$PROGS/condition-$real"
			[ "$(jq '[.incidents[].suppressed] | all' j)" = true ]
		done
		[ $proved -gt 0 ] && [ $stuck -gt 0 ]
	done
}
