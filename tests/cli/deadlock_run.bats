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

@test "a deadlock is found at every seed" {
	for name in inversion writers three join; do
		for real in gcc clang; do
			for seed in 1 2 3 4 5 6; do
				snags run --seed $seed --no-replay "$PROGS/$name-$real"
				[ "$status" = 66 ] || { echo "$name-$real $seed: $stderr"; return 1; }
			done
		done
	done
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
	grep -q '<h2>Deadlock on' h
	snags check t.snag w/deadlock-1.json
	[ "$status" = 0 ]
	# what the recording says is the same
	snags analyze --with deadlock t.snag
	[ "$status" = 66 ]
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
