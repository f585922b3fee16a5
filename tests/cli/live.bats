#!/usr/bin/env bats
# Real programs wherever and however they are started: functions of the C library, libraries
# loaded at run time, many threads, limits of the system, every seed.
load helper

build() { # COMPILER SOURCE FLAGS...
	local compiler=$1 source=$root/tests/programs/$2 tool=cc flags
	flags=$(sed -nE 's/^ \* flags: (.*)/\1/p' "$source")
	[ "${source##*.}" = c ] || tool=c++
	shift 2
	# shellcheck disable=SC2086 # several words
	SNAG_CC=$compiler "$SNAG" $tool -O2 -g -pthread $flags "$@" -o prog "$source"
}

status_of() { # COMMAND...: its status, its output in out
	local status=0
	timeout 60 "$@" >out 2>&1 || status=$?
	echo $status
}

expect() { # STATUS COMMAND...
	local wanted=$1 status
	shift
	status=$(status_of "$@")
	[ "$status" = "$wanted" ] || { echo "$*: status $status"; cat out; return 1; }
}

@test "what functions of the C library do to memory is seen" {
	for compiler in gcc clang; do
		build $compiler each_libc.c
		[ "$(./prog | wc -l)" -gt 40 ]
		for name in $(./prog); do
			expect 66 "$SNAG" run --with hb ./prog "$name"
			expect 0 "$SNAG" run --with hb ./prog "$name" locked
		done
	done
}

@test "what libraries without instrumentation do is theirs" {
	cat >lib.c <<-'END'
		#include <string.h>
		static char kept[16];
		static int lock;
		void lib_keep(const char *text)
		{
			while (__sync_lock_test_and_set(&lock, 1))
				;
			if (strcmp(kept, text))
				strcpy(kept, text);
			__sync_lock_release(&lock);
		}
	END
	cat >main.c <<-'END'
		#include <pthread.h>
		void lib_keep(const char *text);
		static void *run(void *text)
		{
			lib_keep(text);
			return 0;
		}
		int main(void)
		{
			pthread_t t[2];
			pthread_create(&t[0], 0, run, "one");
			pthread_create(&t[1], 0, run, "other");
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	gcc -O1 -fno-builtin -fPIC -shared -o liblib.so lib.c
	"$SNAG" cc -pthread -o prog main.c -L. -llib -Wl,-rpath,"$PWD"
	for seed in 1 2 3 4 5; do
		expect 0 "$SNAG" run --seed $seed ./prog
	done
	TSAN_OPTIONS=ignore_noninstrumented_modules=0 expect 66 "$SNAG" run ./prog
	grep -q "Location is global 'kept'" out
}

@test "instrumented libraries loaded at run time" {
	cat >lib.c <<-'END'
		#include <pthread.h>
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		static int in_library;
		__attribute__((constructor)) static void begin(void)
		{
			in_library = 1;
		}
		void touch(int is_locked)
		{
			if (is_locked)
				pthread_mutex_lock(&mutex);
			in_library++;
			if (is_locked)
				pthread_mutex_unlock(&mutex);
		}
	END
	cat >main.c <<-'END'
		#include <dlfcn.h>
		#include <pthread.h>
		static void (*touch)(int);
		static int is_locked;
		static void *run(void *arg)
		{
			touch(is_locked);
			return arg;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[2];
			void *handle = dlopen(argv[1], RTLD_NOW);
			is_locked = argc > 2;
			*(void **)&touch = dlsym(handle, "touch");
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, run, 0);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
			return dlclose(handle);
		}
	END
	for compiler in gcc clang; do
		SNAG_CC=$compiler "$SNAG" cc -g -fPIC -shared -o lib.so lib.c
		SNAG_CC=$compiler "$SNAG" cc -g -pthread -o prog main.c
		expect 66 "$SNAG" run ./prog ./lib.so
		grep -q "touch lib.c:12\|touch .*/lib.c:12" out
		expect 0 "$SNAG" run ./prog ./lib.so locked
	done
}

@test "thread-local storage of a library, which the C library frees for dead threads" {
	cat >tls.c <<-'END'
		__thread long large[1 << 17];
		long *large_get(void) { return large; }
	END
	cat >uses.c <<-'END'
		#include <dlfcn.h>
		#include <pthread.h>
		#include <unistd.h>
		static long *(*get)(void);
		static int done;
		static void *use(void *p)
		{
			*get() = 42;
			__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
			return p;
		}
		int main(void)
		{
			pthread_t t;
			get = (long *(*)(void))dlsym(dlopen("./tls.so", RTLD_NOW), "large_get");
			for (int i = 0; i < 3; i++) {
				pthread_create(&t, NULL, use, NULL);
				pthread_detach(t);
				while (__atomic_load_n(&done, __ATOMIC_RELAXED) <= i)
					usleep(1000);
				usleep(100000); /* it ends; nothing orders that */
			}
			return 0;
		}
	END
	"$SNAG" cc -g -O1 -shared -fPIC -o tls.so tls.c
	"$SNAG" cc -g -O1 -pthread -o prog uses.c -ldl
	expect 0 "$SNAG" run ./prog
}

@test "functions left by exceptions and jumps are not in stacks" {
	for compiler in gcc clang; do
		build $compiler race_unwind.cc
		expect 66 "$SNAG" run ./prog
		grep -q "#1 jumped_to" out
		grep -q "#2 run" out
		run ! grep left_by out
	done
}

@test "10,000 threads over a run" {
	sed 's/LATER = 1000/LATER = 10000/' "$root/tests/programs/norace_many.c" >many.c
	"$SNAG" cc -O2 -g -pthread -o prog many.c
	expect 0 "$SNAG" run --with hb ./prog
}

@test "a race is found in one run, at any seed" {
	local source found seed seeds=${SNAG_SEEDS:-10}
	if is_sanitized; then seeds=2; fi
	for source in "$root"/tests/programs/race_*.c*; do
		build gcc "$(basename "$source")"
		found=$(sed -nE 's/^ \* found by: (.*)/\1/p' "$source")
		for seed in $(seq 1 "$seeds"); do
			expect 0 "$SNAG" record --seed "$seed" -o run.snag ./prog
			for detector in $found; do
				expect 66 "$SNAG" analyze --with "$detector" run.snag ||
					{ echo "$source, seed $seed"; return 1; }
			done
		done
	done
}

@test "starts in little memory, with and without randomised addresses, position-independent or not" {
	for compiler in gcc clang; do
		for how in -fPIE -no-pie; do
			build $compiler race_counter.c $how
			expect 66 "$SNAG" run ./prog
			expect 66 setarch -R "$SNAG" run ./prog
			is_sanitized && continue # needs terabytes itself
			for kbytes in 8000000 1000000 200000; do
				(ulimit -v $kbytes && expect 66 "$SNAG" run ./prog)
			done
		done
		for how in -static -static-pie; do
			run --separate-stderr build $compiler race_counter.c $how
			[ $status = 2 ]
			[[ $stderr == "snag: cc: $how: "* ]]
		done
	done
}

@test "starts without /proc: names and the replay are there" {
	unshare -r -m mount -t tmpfs none /proc 2>/dev/null || skip "no namespaces here"
	is_sanitized && skip "needs /proc itself"
	build gcc race_sleep.c
	expect 66 unshare -r -m sh -c "mount -t tmpfs none /proc && exec '$SNAG' run ./prog"
	grep -q 'Replay: confirmed' out
	grep -q '^SUMMARY: snag: data race .*race_sleep.c:' out
}

@test "a program that replaces itself ends as it should" {
	cat >again.c <<-'END'
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			if (argc > 1)
				return 7;
			return execl("/proc/self/exe", argv[0], "again", (char *)0);
		}
	END
	"$SNAG" cc -o prog again.c
	expect 7 "$SNAG" run ./prog
}

@test "threads that run freely: races are found, and nothing else" {
	local source wanted
	for source in $(part 0 "$root"/tests/programs/{race,norace}_*.c*); do
		build gcc "$(basename "$source")"
		wanted=0
		[[ $(basename "$source") == norace_* ]] || wanted=66
		# What only orders without a witness show is not found.
		[ $wanted = 0 ] || grep -q "^ \* found by:.*\(hb\|mixed\|m2\)" "$source" || continue
		expect $wanted "$SNAG" run --free ./prog || { echo "$source"; return 1; }
	done
}

@test "options in the environment" {
	build gcc race_counter.c
	echo "race:counter" >s
	for variable in SNAG_OPTIONS TSAN_OPTIONS; do
		expect 0 env $variable=exitcode=0 "$SNAG" run ./prog
		expect 7 env "$variable=verbosity=0 exitcode=7" "$SNAG" run ./prog
		expect 66 env $variable=exitcode=7 "$SNAG" run --exitcode 66 ./prog
		expect 0 env "$variable=suppressions='$PWD/s'" "$SNAG" run ./prog
	done
	expect 7 env "TSAN_OPTIONS=history_size=7:exitcode=7" "$SNAG" run ./prog
	expect 7 env "TSAN_OPTIONS=halt_on_error=false:detect_deadlocks=yes:exitcode=7" "$SNAG" run ./prog
	expect 2 env TSAN_OPTIONS=exitcode=many "$SNAG" run ./prog
	expect 0 env TSAN_OPTIONS=report_bugs=0 "$SNAG" run ./prog
	expect 0 env TSAN_OPTIONS=report_bugs=false "$SNAG" run ./prog
	expect 9 env SNAG_OPTIONS=exitcode=9 TSAN_OPTIONS=exitcode=7 "$SNAG" run ./prog
	expect 66 env SNAG_OPTIONS=free=1 "$SNAG" run --with m2 ./prog
}

found_at() { # SEEDS OPTIONS: at how many of them ./prog has a race
	local n=0 seed
	for seed in $(seq "$1"); do
		[ "$(SNAG_OPTIONS=$2 status_of "$SNAG" run --with hb --seed "$seed" ./prog)" != 66 ] || n=$((n + 1))
	done
	echo $n
}

@test "short programs: threads that nobody joins, and children that go first" {
	cat >first.c <<-'END'
		#include <pthread.h>
		#include <stdatomic.h>
		static atomic_int is_done;
		static int shared;
		static void *run(void *unused)
		{
			shared = 1;
			atomic_store_explicit(&is_done, 1, memory_order_relaxed);
			return unused;
		}
		int main(void)
		{
			pthread_t t;
			pthread_create(&t, 0, run, 0);
			if (atomic_load_explicit(&is_done, memory_order_relaxed))
				shared = 2;
			return 0;
		}
	END
	for compiler in gcc clang; do
		build $compiler race_unjoined.c
		[ "$(found_at 10 policy=random)" = 10 ]
		[ "$(found_at 10 policy=rr)" = 10 ]
		[ "$(found_at 10 linger=0:policy=rr)" = 0 ]
		expect 66 "$SNAG" run --free ./prog
		SNAG_CC=$compiler "$SNAG" cc -pthread -o prog first.c
		for policy in random pct; do
			n=$(found_at 40 policy=$policy)
			[ "$n" -gt 15 ] || { echo "$compiler $policy: $n of 40"; return 1; }
		done
	done
}
