#!/usr/bin/env bats
# A signal that ends the program: the report names the thread and the place, and the status is that of
# the program alone.
load helper

setup_file() {
	cat >"$BATS_FILE_TMPDIR/crash.c" <<'END'
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile nothing;
static _Atomic int *volatile no_atomic;
static volatile int zero;
static sigjmp_buf back;

static void at_null(void) { *nothing = 1; } // null
static void at_atomic(void) { atomic_fetch_add(no_atomic, 1); } // atomic
static void at_memcpy(void) { memcpy(nothing, &back, (size_t)(zero + 8)); } // memcpy
static void at_strlen(void) { zero = (int)strlen((const char *)nothing); } // strlen
static void at_abort(void) { abort(); } // abort
static void at_assert(void) { assert(zero == 1); } // assert
static void at_divide(void) { zero = zero % zero; } // divide
static void at_trap(void) { __builtin_trap(); } // trap
static void at_raise(void) { raise(SIGSEGV); } // raise
static void handler(int number) { siglongjmp(back, number); }

static void handled(void)
{
	struct sigaction old;
	sigaction(SIGSEGV, NULL, &old);
	if (old.sa_handler != SIG_DFL || signal(SIGSEGV, handler) != SIG_DFL)
		exit(9);
	if (sigsetjmp(back, 1) == 0)
		*nothing = 1;
	exit(3);
}

static void set_and_reset(void)
{
	signal(SIGSEGV, handler);
	signal(SIGSEGV, SIG_DFL);
	*nothing = 1; // reset
}

static void ignored(void)
{
	signal(SIGABRT, SIG_IGN);
	raise(SIGABRT);
	exit(4);
}

static void sent(void)
{
	kill(getpid(), SIGSEGV);
	for (;;)
		pause();
}

static const struct {
	const char *name;
	void (*run)(void);
} way[] = {{"null", at_null}, {"atomic", at_atomic}, {"memcpy", at_memcpy}, {"strlen", at_strlen},
	   {"abort", at_abort}, {"assert", at_assert}, {"divide", at_divide}, {"trap", at_trap},
	   {"raise", at_raise}, {"handled", handled}, {"reset", set_and_reset}, {"ignored", ignored},
	   {"sent", sent}};

static void *worker(void *name)
{
	pthread_setname_np(pthread_self(), "worker");
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (strcmp(way[i].name, name) == 0)
			way[i].run();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, argv[argc - 1]);
	pthread_join(t, NULL);
}
END
	for compiler in gcc clang; do
		SNAG_CC=$compiler "${SNAG:-$BATS_TEST_DIRNAME/../../build/snag}" cc -O1 -g -w -pthread \
			-o "$BATS_FILE_TMPDIR/$compiler" "$BATS_FILE_TMPDIR/crash.c"
	done
	cc -O1 -g -w -pthread -o "$BATS_FILE_TMPDIR/native" "$BATS_FILE_TMPDIR/crash.c"
}

status_of() { # COMMAND...
	local status=0
	"$@" >out 2>err || status=$?
	echo $status
}

# The program of a compiler ends as the native one, and names the line marked with its way.
crashes() { # COMPILER WAY TITLE [OPTION]
	local line native
	line=$(grep -n "// $2\$" "$BATS_FILE_TMPDIR/crash.c" | cut -d: -f1)
	native=$(status_of "$BATS_FILE_TMPDIR/native" "$2")
	[ "$(status_of timeout 60 "$SNAG" run ${4:+"$4"} --json report.json "$BATS_FILE_TMPDIR/$1" "$2")" = "$native" ]
	grep -q "^ERROR: snag: $3" err || { echo "$*"; cat err; return 1; }
	grep -q "The signal met thread T1 'worker' at:" err
	grep -qE "^    #0 [a-z_]+ .*crash\.c:$line" err || { echo "$* $line"; cat err; return 1; }
	[ "$(jq -r '.crash.stack[0].line' report.json)" = "$line" ]
	[ "$(jq '.crash.signal + 128' report.json)" = "$native" ]
	[ "$(jq '.incidents | length' report.json)" = 0 ]
}

@test "the report of a crash names the signal, the thread and the line" {
	ulimit -c 0
	for compiler in gcc clang; do
		crashes $compiler null "SEGV on unknown address 0x000000000000"
		crashes $compiler atomic "SEGV on unknown address 0x000000000000"
		crashes $compiler memcpy "SEGV on unknown address 0x000000000000"
		crashes $compiler strlen "SEGV on unknown address 0x000000000000"
		crashes $compiler abort ABRT
		crashes $compiler assert ABRT
		crashes $compiler divide FPE
		crashes $compiler trap ILL
		crashes $compiler raise SEGV
		crashes $compiler reset "SEGV on unknown address"
	done
}

@test "the same where threads run freely" {
	ulimit -c 0
	crashes gcc null SEGV --free
	crashes gcc atomic SEGV --free
	crashes gcc assert ABRT --free
}

@test "a program that handles or ignores the signal has no report" {
	for compiler in gcc clang; do
		for mode in --no-replay --free; do
			[ "$(status_of "$SNAG" run $mode "$BATS_FILE_TMPDIR/$compiler" handled)" = 3 ]
			refute grep -q ERROR err
			[ "$(status_of "$SNAG" run $mode "$BATS_FILE_TMPDIR/$compiler" ignored)" = 4 ]
			refute grep -q ERROR err
		done
	done
}

@test "a signal from elsewhere ends the program with its status" {
	ulimit -c 0
	for mode in --no-replay --free; do
		[ "$(status_of timeout 60 "$SNAG" run $mode "$BATS_FILE_TMPDIR/gcc" sent)" = 139 ]
	done
}

@test "a program that observes itself reports its crash" {
	ulimit -c 0
	[ "$(status_of bash -c '"$0" null 2>report; exit $?' "$BATS_FILE_TMPDIR/gcc")" = 139 ]
	for _ in $(seq 100); do # the program does not wait for it
		grep -q "^SUMMARY" report && break
		sleep 0.1
	done
	grep -q "The signal met thread T1 'worker' at:" report
}

@test "SNAG_OPTIONS=handle_crashes=0 leaves the signals alone" {
	ulimit -c 0
	[ "$(SNAG_OPTIONS=handle_crashes=0 status_of "$SNAG" run "$BATS_FILE_TMPDIR/gcc" null)" = 139 ]
	refute grep -q ERROR err
}
