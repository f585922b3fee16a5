#!/usr/bin/env bats
# A write of another thread between a read and a write: --with atomicity, of traces and of programs.
load helper

setup_file() {
	export PROGS="$BATS_FILE_TMPDIR"
	local root="$BATS_TEST_DIRNAME/../.."
	local SNAG=${SNAG:-$root/build/snag}
	for path in "$root"/tests/programs/atomicity/*; do
		local name=${path##*/}
		for real in gcc clang; do
			SNAG_CC=$real "$SNAG" cc -g -O1 -pthread -o "$PROGS/${name%.*}-$real" "$path"
			SNAG_CC=$real "$SNAG" cc -g -O1 -pthread -fsnag-branches -o "$PROGS/${name%.*}-$real-branches" "$path"
		done
	done
}

# A read and a write of T1, in sections of its own; T2 writes.
unit() {
	printf '%s\n' 'T0|fork(T1)|1' 'T0|fork(T2)|2' 'T1|acq(m)|10' 'T1|r(x)|11' 'T1|rel(m)|12' ${1:+"$1"} 'T1|acq(m)|13' \
		'T1|w(x)|14' 'T1|rel(m)|15' 'T2|acq(m)|20' ${2:+"$2"} 'T2|w(x)|21' 'T2|rel(m)|22'
}

@test "a write between two sections of one lock" {
	unit >t.std
	snags analyze --with atomicity --json out.json --witness w t.std
	[ "$status" = 66 ]
	[[ $output == *"ATOMICITY predicted x: 11 / 21 / 14"* ]]
	[[ $output == *"T1 reads x at 11 (event 3), holding m"* ]]
	[[ $output == *"T2 writes x at 21 (event 9), holding m"* ]]
	[[ $output == *"The second access can come between the other two."* ]]
	[[ $output == *"SUMMARY: snag: 1 atomicity violation found in t.std: 1 predicted"* ]]
	[ "$(jq -c '.analyses[0].races[0] | [.kind, .read, .between, .write, .locations, .threads, .verdict]' out.json)" = \
		'["atomicity",3,9,6,["11","21","14"],["T1","T2","T1"],"predicted"]' ]
	[ "$(jq -c '.analyses[0] | [.complete, .racy_events]' out.json)" = '[true,[]]' ]
	snags check t.std w/race-1.json
	[ "$status" = 0 ]
	[[ $output == "valid: "*" events with T1 r(x) at 11 (event 3), then T2 w(x) at 21 (event 9), then T1 w(x) at 14 (event 6)" ]]
	# what JSON says is a witness file
	jq '.analyses[0].races[0] | {witness, atomicity: [.read, .between, .write]}' out.json >j
	snags check t.std j
	[ "$status" = 0 ]
	# m2 knows no race, and says so beside it
	snags analyze --with m2,atomicity t.std
	[ "$status" = 66 ]
	[[ $output == *"no race and 1 atomicity violation found in t.std: 1 predicted"* ]]
}

@test "a damaged witness is refused" {
	unit >t.std
	snags analyze --with atomicity --json out.json t.std
	for damage in '.atomicity = [3,9]' '.atomicity = [3,6,9]' '.atomicity = [2,9,6]' '.witness |= .[:-1]' '.atomicity = [3,9,99]' \
		'.atomicity = []' '.deadlock = [1,2]'; do
		jq ".analyses[0].races[0] | {witness, atomicity: [.read, .between, .write]} | $damage" out.json >j
		snags check t.std j
		[ "$status" = 2 ] || { echo "$damage"; return 1; }
	done
}

@test "observed" {
	printf '%s\n' 'T1|r(x)|11' 'T2|w(x)|21' 'T1|w(x)|14' >t.std
	snags analyze --with atomicity t.std
	[ "$status" = 66 ]
	[[ $output == *"ATOMICITY observed x: 11 / 21 / 14"* ]]
	[[ $output == *"In this trace the second access comes between the other two."* ]]
}

@test "none: one section, a second look, joins, what a read saw" {
	unit | sed '/|12$/d; /|13$/d' >whole.std
	unit 'T1|r(x)|12' >look.std
	sed -i 's/T1|acq(m)|13/T1|acq(m)|13\nT1|r(x)|13/; s/T1|r(x)|12//; /^$/d' look.std
	unit | sed 's/T2|acq(m)|20/T0|join(T1)|3\nT0|fork(T3)|4\nT3|acq(m)|20/; s/^T2/T3/' >join.std
	unit 'T1|w(y)|12' >saw.std
	sed -i 's/T1|w(x)|14/T1|w(x)|14\nT1|w(z)|14/; s/T2|acq(m)|20/T2|r(z)|19\nT2|acq(m)|20/' saw.std
	for t in whole look join saw; do
		snags analyze --with atomicity --json out.json $t.std
		[ "$status" = 0 ] || { echo "$t $output"; return 1; }
		[ "$(jq -c '.analyses[0] | [.complete, .races]' out.json)" = '[true,[]]' ]
	done
}

@test "what reads saw matters only where branches depend on it" {
	# T2 does the same as T1: its read saw what T1 wrote
	unit '' 'T2|r(x)|20' >t.std
	snags analyze --with atomicity t.std
	[ "$status" = 0 ]
	snags analyze --with atomicity --rules dependence --json out.json t.std
	[ "$status" = 66 ]
	[ "$(jq -c '[.analyses[0].races[] | .locations]' out.json)" = '[["11","21","14"],["20","14","21"]]' ] ||
		[ "$(jq -c '[.analyses[0].races[] | .locations]' out.json)" = '[["11","21","14"]]' ]
	# a branch on it
	sed -i 's/T2|w(x)|21/T2|br(x)|20\nT2|w(x)|21/' t.std
	snags analyze --with atomicity t.std
	[ "$status" = 0 ]
}

@test "shards find together what one analysis finds" {
	for i in 1 2 3 4 5 6 7 8; do unit | sed "s/x/x$i/; s/|\([0-9]*\)$/|$i\1/; s/|[0-9]*\([12]\)$/&/" | sed -n "$([ $i = 1 ] && echo p || echo '3,$p')"; done >t.std
	snags analyze --with atomicity --json whole.json t.std
	[ "$status" = 66 ]
	for i in 1 2 3; do
		snags analyze --with atomicity --shard $i/3 --store store t.std
	done
	snags merge --json merged.json store
	[ "$status" = 66 ]
	[ "$(jq -S -c '[.analyses[].races[] | [.read, .between, .write]]' merged.json)" = \
		"$(jq -S -c '[.analyses[].races[] | [.read, .between, .write]]' whole.json)" ]
}

# Runs program $1; $2 of its six seeds must show a violation, and each one that is reported is sure.
found() {
	local n=0
	for seed in 1 2 3 4 5 6; do
		snags run --with atomicity --seed $seed --json j "$PROGS/$1"
		[ "$status" = 0 ] || n=$((n + 1))
		jq -e '[.incidents[] | .kind == "atomicity" and (.accesses | length == 3) and
			(.verdict == "observed" or .verdict == "predicted" and .replay == "confirmed")] | all' j >all ||
			{ echo "$1 $seed: $stderr"; return 1; }
	done
	[ $n -ge "$2" ] || { echo "$1: $n"; return 1; }
}

@test "programs whose branches are known: found, with a witness, and replayed" {
	for name in split_update atomic_store inner_section; do
		found $name-clang-branches 4
		found $name-gcc-branches 4 # which takes every new basic block for a branch on all reads
	done
}

@test "other programs: found if the read did not see the other thread's write" {
	for name in split_update atomic_store inner_section; do
		found $name-clang 1
		found $name-gcc 1
	done
}

@test "programs: silent where nothing can come between, and without --with" {
	for real in gcc clang gcc-branches clang-branches; do
		for seed in 1 2 3 4 5 6; do
			snags run --with atomicity --seed $seed "$PROGS/none_whole-$real"
			[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "none_whole-$real $seed: $stderr"; return 1; }
		done
		snags run "$PROGS/split_update-$real"
		[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$real: $stderr"; return 1; }
	done
}

# A seed at which it is predicted and not observed.
predicted_seed() {
	local seed=1
	until "$SNAG" run --with atomicity --seed $seed --no-replay --json p.json "$1" 2>p.err; [ "$(jq -r '.incidents[0].verdict' p.json)" = predicted ]; do
		seed=$((seed + 1))
		[ $seed -lt 40 ]
	done
	echo $seed
}

@test "the report names the accesses; replay, check, SARIF, HTML, JUnit" {
	seed=$(predicted_seed "$PROGS/split_update-clang")
	snags run --with atomicity --seed "$seed" --no-replay --witness w --keep t.snag --json j --sarif s --html h --junit u "$PROGS/split_update-clang"
	[ "$status" = 66 ]
	[[ $stderr == *"WARNING: snag: atomicity violation (pid="* ]]
	[[ $stderr == *"  Read of size 4 at balance "*"#0 get "*"  Then write of size 4 at balance "*"#0 set "*"#1 reset "*"  Then write of size 4 at balance "*"#1 deposit "* ]]
	[[ $stderr == *"SUMMARY: snag: atomicity violation "* ]]
	[ "$(jq -c '[.incidents[] | [.kind, .verdict, .variable, [.accesses[].operation]]]' j)" = '[["atomicity","predicted","balance",["read","write","write"]]]' ]
	[ "$(jq '.incidents[0] | has("severity")' j)" = false ] # it is no use of freed memory
	[ "$(jq -r '.runs[0] | .results[0].ruleId, .tool.driver.rules[.results[0].ruleIndex].id' s | xargs)" = "atomicity atomicity" ]
	[ "$(jq -c '.runs[0].results[0] | [(.locations | length), (.relatedLocations | length), (.stacks | length)]' s)" = '[1,2,3]' ]
	grep -q '"kind":"atomicity"' h
	grep -q 'type="predicted atomicity violation"' u
	snags check t.snag w/race-1.json
	[ "$status" = 0 ]
	snags analyze --with atomicity t.snag
	[ "$status" = 66 ]
	snags replay w/race-1.json "$PROGS/split_update-clang"
	[ "$status" = 66 ]
	[[ $stderr == "snag: replay: confirmed: event "*" of the replay is the write between events "* ]]
	snags replay w/race-1.json "$PROGS/none_whole-clang"
	[ "$status" = 0 ]
	[[ $stderr == "snag: replay: diverged: "* ]]
	snags replay --gdb w/race-1.json "$PROGS/split_update-clang"
	[ "$status" = 2 ]
	snags verify-fix w/race-1.json "$PROGS/split_update-clang"
	[ "$status" = 66 ]
	# a baseline and a suppression know it
	snags run --with atomicity --seed "$seed" --baseline j "$PROGS/split_update-clang"
	[ "$status" = 0 ]
	echo 'race:deposit' >supp
	snags run --with atomicity --seed "$seed" --suppressions supp "$PROGS/split_update-clang"
	[ "$status" = 0 ]
}
