#!/usr/bin/env bats
# Programs with and without races (tests/programs), built with gcc and clang at -O0 and -O2,
# recorded with several seeds, and judged.  race_*.c say which detectors find the race;
# norace_*.c have none for any.  A program that does not end with status 0 has failed.
load helper

# The programs are the same whatever the tool; a sanitized one gets one run of each.
seeds="1 2 3"
if is_sanitized; then seeds=1; fi

build() { # COMPILER LEVEL SOURCE
	local tool=cc flags
	flags=$(sed -nE 's/^ \* flags: (.*)/\1/p' "$3")
	[ "${3##*.}" = c ] || tool="c++ -std=gnu++17"
	# shellcheck disable=SC2086 # two words
	SNAG_CC=$1 "$SNAG" $tool "$2" $flags -g -pthread -o prog "$3"
}

judge() { # SOURCE
	local found status
	found=$(sed -nE 's/^ \* found by: (.*)/\1/p' "$1")
	if [[ $(basename "$1") == race_* ]]; then
		[ -n "$found" ]
		for d in $found; do
			status=0
			"$SNAG" analyze --with "$d" run.snag >out || status=$?
			[ $status = 66 ] || { echo "$1: $d found nothing"; return 1; }
		done
	else
		"$SNAG" analyze --with hb,wdp,m2,mixed run.snag >out || { cat out; return 1; }
	fi
}

all() { # PART COMPILER LEVEL
	local source seed
	for source in $(part "$1" "$root"/tests/programs/{race,norace}_*.c*); do
		build "$2" "$3" "$source"
		for seed in $seeds; do
			timeout 60 "$SNAG" record --seed $seed -o run.snag ./prog >out 2>&1 ||
				{ echo "$source, seed $seed: status $?"; cat out; return 1; }
			judge "$source" || { echo "$source, seed $seed, $2 $3"; return 1; }
		done
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
