#!/usr/bin/env bats
# The runtime is a guest: a program starts, behaves and ends under snag as it does without.
load helper

build() { # COMPILER SOURCE FLAGS...
	local compiler=$1 source=$root/tests/programs/$2 flags
	flags=$(sed -nE 's/^ \* flags: (.*)/\1/p' "$source")
	shift 2
	# shellcheck disable=SC2086 # several words
	SNAG_CC=$compiler "$SNAG" cc -O1 -g -pthread $flags -o prog "$source" "$@"
}

expect() { # STATUS COMMAND...
	local wanted=$1 status=0
	shift
	timeout -k 5 60 "$@" >out 2>&1 || status=$?
	[ "$status" = "$wanted" ] || { echo "$*: status $status"; cat out; return 1; }
}

# Runs ./prog in every way; it ends with status 0.
runs() {
	expect 0 "$SNAG" run ./prog
	expect 0 "$SNAG" run --free ./prog
	expect 0 ./prog
}

@test "main that leaves by pthread_exit" {
	for compiler in gcc clang; do
		build $compiler norace_main_leaves.c
		runs
	done
}

@test "handlers that wait for a second signal" {
	for compiler in gcc clang; do
		build $compiler norace_stop_world.c
		runs
	done
}

@test "children of clone() and _Fork()" {
	for compiler in gcc clang; do
		build $compiler norace_clone.c
		runs
	done
}

@test "a flag of pthread_once that is used again" {
	for compiler in gcc clang; do
		build $compiler norace_once_again.c
		runs
	done
}

@test "an allocator of the program's own" {
	for compiler in gcc clang; do
		build $compiler norace_own_malloc.c
		runs
	done
}

@test "allocators in libraries" {
	for library in jemalloc mimalloc; do
		for compiler in gcc clang; do
			build $compiler norace_pool.c -l$library ||
				skip "lib$library-dev is not installed"
			runs
		done
	done
}

@test "other linkers" {
	for linker in gold mold; do
		command -v ld.$linker >ld || skip "$linker is not installed"
		for compiler in gcc clang; do
			build $compiler norace_pool.c -fuse-ld=$linker
			runs
		done
	done
}

@test "a small stack" {
	build gcc norace_pool.c
	ulimit -s 128
	expect 0 "$SNAG" run ./prog
	expect 0 "$SNAG" record -o run.snag ./prog
	expect 0 "$SNAG" analyze run.snag
	# The program has the user's limit, not ours.
	"$SNAG" run sh -c 'ulimit -s' >out 2>err || [ $? = 2 ]
	[ "$(cat out)" = 128 ]
}

@test "SIGTERM and SIGINT end a program whose main has left" {
	cat >loop.c <<-'END'
		#include <pthread.h>
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		static void *run(void *unused)
		{
			for (;;) {
				pthread_mutex_lock(&mutex);
				pthread_mutex_unlock(&mutex);
			}
			return unused;
		}
		int main(void)
		{
			pthread_t t;
			pthread_create(&t, 0, run, 0);
			pthread_exit(0);
		}
	END
	"$SNAG" cc -pthread -o prog loop.c
	for mode in "" --free; do
		for signal in TERM INT; do
			# shellcheck disable=SC2086 # no word, or one
			"$SNAG" run $mode ./prog 2>out &
			sleep 1
			kill -s $signal $!
			local status=0
			timeout 20 tail --pid=$! -f /dev/null
			wait $! || status=$?
			[ $status = $((128 + $(kill -l $signal))) ] || { echo "$mode $signal: $status"; return 1; }
		done
	done
}

@test "a long sleep ends while other threads take many short ones" {
	cat >naps.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <time.h>
		#include <unistd.h>
		static void *naps(void *p)
		{
			struct timespec nap = {0, 1000};
			volatile long *own = malloc(800);
			for (;;)
				if (nanosleep(&nap, NULL) == 0)
					for (int i = 0; i < 100; i++)
						own[i]++;
			return p;
		}
		int main(void)
		{
			pthread_t t;
			for (int i = 0; i < 32; i++)
				pthread_create(&t, NULL, naps, NULL);
			sleep(4);
			_exit(7);
		}
	END
	"$SNAG" cc -O1 -g -pthread -o prog naps.c
	local status=0
	timeout 16 "$SNAG" run --no-replay ./prog || status=$?
	[ $status = 7 ]
}

@test "functions return what they return without snag" {
	trap '' WINCH PIPE
	gcc -w -O1 -pthread -o native "$root/tests/programs/each_behaviour.c"
	env -i SNAG_OPTIONS=seed=7 PATH="$PATH" ./native >native.out 3>&-
	[ "$(wc -l <native.out)" -gt 40 ]
	for compiler in gcc clang; do
		build $compiler each_behaviour.c -w
		for mode in --no-replay --free; do
			env -i SNAG_OPTIONS=seed=7 PATH="$PATH" timeout 60 "$SNAG" run $mode ./prog \
				>observed.out 2>err 3>&- || { cat err; return 1; }
			diff <(sed 's/^_=.*//' native.out) <(sed 's/^_=.*//' observed.out)
		done
	done
}

# Runs every guest of ./FOLDER/guests in a folder of its own, by itself or by a command.
guests_run() { # FOLDER COMMAND...
	local folder=$1 names
	shift
	names=$(sed -n 's/^GUEST(\(.*\))$/\1/p' "$root/tests/guests/guests.def")
	for name in $names; do mkdir -p "$folder/$name"; done
	# shellcheck disable=SC2016 # the inner shell expands it
	echo "$names" | SNAG_OPTIONS=exitcode=0:log_path=report xargs -P 8 -I{} bash -c '
		cd "$0/$1" && name=$1 && shift 2
		timeout -k 5 60 "$@" ../guests $name </dev/null >out 2>err 3>&-
		echo "status $?" >>out' "$folder" {} {} "$@" 2>/dev/null
}

# They gave the same output and status as natively, and there is no report but for real mistakes.
guests_are_alike() { # FOLDER
	local bad=0 report
	for folder in "$1"/*/; do
		diff "native/$(basename "$folder")/out" "$folder/out" || { cat "$folder/err"; bad=1; }
		for report in "$folder"report.*; do
			[[ ! -e $report || $folder = */@(mutex_answers|thread_mistakes)/ ]] || { cat "$report"; bad=1; }
		done
	done
	return $bad
}

@test "every guest prints and returns natively and observed the same" {
	mkdir native
	gcc -w -O1 -g -pthread -o native/guests "$root"/tests/guests/*.c
	guests_run native
	[ "$(cat native/*/out | grep -c '^status')" -ge 60 ]
	refute grep -x 'status 124' native/*/out
	for compiler in $(compilers); do
		mkdir $compiler free
		SNAG_CC=$compiler "$SNAG" cc -w -O1 -g -pthread -o $compiler/guests "$root"/tests/guests/*.c
		cp $compiler/guests free
		guests_run $compiler
		guests_are_alike $compiler
		guests_run free "$SNAG" run --no-replay --free
		guests_are_alike free
		rm -r free
	done
}

@test "a program with more rights than its user is not observed" {
	[ "$(id -u)" = 0 ] || skip "needs root, to make a program setuid"
	command -v setpriv >path || skip "setpriv is not installed"
	build gcc norace_pool.c
	chmod 755 . && cp prog /tmp/"snag-setuid-$$" && chmod 4755 /tmp/"snag-setuid-$$"
	local status=0
	SNAG_OPTIONS=help=1 setpriv --reuid=65534 --clear-groups /tmp/"snag-setuid-$$" >out 2>&1 || status=$?
	rm /tmp/"snag-setuid-$$"
	[ $status = 0 ]
	[ ! -s out ] # no list of options
}
