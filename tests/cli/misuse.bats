#!/usr/bin/env bats
# Mistakes that are neither races nor deadlocks (tests/programs/misuse).  Each program says which kind of
# incident it has, and the title of its report; it has no other.
load helper

programs="$BATS_TEST_DIRNAME/../programs"

build() { # COMPILER SOURCE
	SNAG_CC=$1 "$SNAG" cc -O1 -g -w -pthread -o prog "$2"
}

check() { # SOURCE
	local kind title
	kind=$(sed -nE 's/^ \* expect: ([a-z-]+).*/\1/p' "$1")
	title=$(sed -nE 's/^ \* expect: [a-z-]+ "(.*)"/\1/p' "$1")
	[ "$(jq -r '[.incidents[].kind] | unique | join(" ")' report.json)" = "$kind" ]
	[ -z "$title" ] || grep -qF "WARNING: snag: $title (pid=" err
	jq -e '.runs[0].results | length > 0' report.sarif
}

all() { # COMPILER
	local source status
	for source in "$programs"/misuse/*.c; do
		build "$1" "$source"
		status=0
		timeout 60 "$SNAG" run --json report.json --sarif report.sarif ./prog 2>err || status=$?
		[ $status = 66 ] && check "$source" >out || { echo "$source: $status"; cat err; return 1; }
	done
}

@test "each mistake is an incident of its kind, built by gcc" {
	all gcc
}

@test "each mistake is an incident of its kind, built by clang" {
	all clang
}

@test "a program that observes itself reports mistakes" {
	build gcc "$programs/misuse/unlock_twice.c"
	run timeout 60 ./prog
	[ "$status" = 66 ]
	[[ $output == *"unlock of an unlocked mutex"* ]]
}

@test "options switch kinds off, in TSAN_OPTIONS too" {
	build gcc "$programs/misuse/destroy_locked.c"
	TSAN_OPTIONS=report_destroy_locked=0 "$SNAG" run ./prog
	SNAG_OPTIONS=report_mutex_bugs=0 "$SNAG" run ./prog
	build gcc "$programs/misuse/thread_leak.c"
	TSAN_OPTIONS=report_thread_leaks=0 "$SNAG" run ./prog
	build gcc "$programs/misuse/signal_errno.c"
	TSAN_OPTIONS=report_signal_unsafe=0 "$SNAG" run ./prog
	build gcc "$programs/misuse/unlock_twice.c"
	TSAN_OPTIONS=report_bugs=0 "$SNAG" run ./prog
}

@test "suppressions and baselines hide them" {
	build gcc "$programs/misuse/unlock_twice.c"
	echo mutex:main >list
	"$SNAG" run --suppressions list ./prog
	echo race:main >list
	run "$SNAG" run --suppressions list --json report.json ./prog
	[ "$status" = 66 ]
	"$SNAG" run --baseline report.json ./prog
	build gcc "$programs/misuse/thread_leak.c"
	echo thread:main >list
	"$SNAG" run --suppressions list ./prog
	build gcc "$programs/misuse/signal_errno.c"
	echo signal:handler >list
	"$SNAG" run --suppressions list ./prog
}

@test "programs without races have no mistakes either" {
	local source tool flags
	for source in "$programs"/norace_*.c*; do
		tool=cc
		[ "${source##*.}" = c ] || tool="c++ -std=gnu++17"
		flags=$(sed -nE 's/^ \* flags: (.*)/\1/p' "$source")
		# shellcheck disable=SC2086 # several words
		"$SNAG" $tool -O1 $flags -g -pthread -o prog "$source"
		timeout 60 "$SNAG" run --no-replay ./prog >out 2>&1 || { echo "$source"; cat out; return 1; }
	done
}

@test "races that the program calls benign are suppressed" {
	for compiler in gcc clang; do
		build $compiler "$programs/annotated/benign.c"
		"$SNAG" run --json report.json ./prog
		jq -e '.incidents | length > 0 and all(.suppressed)' report.json
	done
}
