#!/usr/bin/env bats
# snag explore: programs of threads under many schedules.
load helper

build() { # NAME [ARGS...], from standard input
	cat >"$1.c"
	"$SNAG" cc -O1 -g -pthread "${@:2}" -o "$1" "$1.c"
}

lost_update() {
	build lost <<-'END'
		#include <assert.h>
		#include <pthread.h>
		#include <stdio.h>
		static int x;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static int get(void) { pthread_mutex_lock(&m); int v = x; pthread_mutex_unlock(&m); return v; }
		static void set(int v) { pthread_mutex_lock(&m); x = v; pthread_mutex_unlock(&m); }
		static void *run(void *arg) { set(get() + 1); return arg; }
		int main(int argc, char **argv)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, run, 0);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
			printf("%d\n", x);
			if (argc == 1)
				assert(x == 2);
			return argc == 2 && x != 2 ? 7 : 0;
		}
	END
}

sections() { # threads rounds
	build sections <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		static int x, rounds;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static void *run(void *arg)
		{
			for (int i = 0; i < rounds; i++) {
				pthread_mutex_lock(&m);
				x++;
				pthread_mutex_unlock(&m);
			}
			return arg;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[8];
			int n = atoi(argv[1]);
			rounds = atoi(argv[2]);
			for (int i = 0; i < n; i++)
				pthread_create(&t[i], 0, run, 0);
			for (int i = 0; i < n; i++)
				pthread_join(t[i], 0);
			return x != n * rounds;
		}
	END
}

@test "a failed assertion, shrunk, written down, and repeated" {
	lost_update
	snags explore --json r.json -o s.json ./lost
	[ "$status" = 66 ]
	grep -q '^snag: explore: a failed assertion.*, in schedule [0-9]* (.*), with [345] switches' <<<"$stderr"
	grep -q "Assertion .x == 2. failed" <<<"$stderr"
	grep -q '^  repeat: snag replay s.json ./lost$' <<<"$stderr"
	grep -q '^  in gdb: snag replay --gdb s.json ./lost$' <<<"$stderr"
	[ "$(jq -r '.explore.failure, .explore.exhaustive, .explore.failures[0].repeats' r.json | xargs)" = "assertion false true" ]
	for _ in 1 2 3; do
		snags replay s.json ./lost
		[ "$status" = 66 ]
		grep -q '^snag: replay: confirmed: a failed assertion' <<<"$stderr"
	done
	snags replay s.json ./lost one two # which does not look at x
	[ "$status" = 0 ]
	grep -q '^snag: replay: diverged: no failure like that of the file' <<<"$stderr"
}

@test "another status, an expected one, and other output" {
	lost_update
	snags explore --json r.json -o s.json ./lost status
	[ "$status" = 66 ]
	grep -q '^snag: explore: exit status 7 instead of 0' <<<"$stderr"
	[ "$(jq -r .explore.failure r.json)" = status ]
	snags replay s.json ./lost status
	[ "$status" = 66 ]
	snags explore --expect 0 -o s.json ./lost status
	[ "$status" = 66 ]
	snags explore --schedules 200 --ignore status ./lost status
	[ "$status" = 0 ]
	snags explore --schedules 200 ./lost one two
	[ "$status" = 0 ]
	snags explore --same-output --json r.json -o s.json ./lost one two
	[ "$status" = 66 ]
	[ "$(jq -r .explore.failure r.json)" = output ]
	grep -q 'other output than that of the first run' <<<"$stderr"
}

@test "a deadlock and a race, with the reports of snag run" {
	build circle <<-'END'
		#include <pthread.h>
		static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
		static void *one(void *p)
		{
			pthread_mutex_lock(&a);
			pthread_mutex_lock(&b);
			pthread_mutex_unlock(&b);
			pthread_mutex_unlock(&a);
			return p;
		}
		static void *two(void *p)
		{
			pthread_mutex_lock(&b);
			pthread_mutex_lock(&a);
			pthread_mutex_unlock(&a);
			pthread_mutex_unlock(&b);
			return p;
		}
		int main(void)
		{
			pthread_t t[2];
			pthread_create(&t[0], 0, one, 0);
			pthread_create(&t[1], 0, two, 0);
			pthread_join(t[0], 0);
			pthread_join(t[1], 0);
			return 0;
		}
	END
	snags explore --json r.json -o s.json ./circle
	[ "$status" = 66 ]
	grep -q '^snag: explore: a deadlock, in schedule' <<<"$stderr"
	grep -q '^  Thread T1 waits for b at:' <<<"$stderr"
	[ "$(jq -r '.explore.failure, .incidents[0].kind' r.json | xargs)" = "deadlock deadlock" ]
	snags replay s.json ./circle
	[ "$status" = 66 ]
	build door <<-'END'
		#include <pthread.h>
		static int open, guests;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static void *opens(void *p)
		{
			guests = 1;
			pthread_mutex_lock(&m);
			open = 1;
			pthread_mutex_unlock(&m);
			return p;
		}
		static void *enters(void *p)
		{
			pthread_mutex_lock(&m);
			int is_open = open;
			pthread_mutex_unlock(&m);
			if (!is_open)
				guests = 2;
			return p;
		}
		int main(void)
		{
			pthread_t t[2];
			pthread_create(&t[0], 0, opens, 0);
			pthread_create(&t[1], 0, enters, 0);
			pthread_join(t[0], 0);
			pthread_join(t[1], 0);
			return guests == 3;
		}
	END
	snags explore --json r.json -o s.json ./door
	[ "$status" = 66 ]
	grep -q '^  Write of size 4 at guests by thread' <<<"$stderr"
	[ "$(jq -r '.explore.failure, .incidents[0].variable' r.json | xargs)" = "race guests" ]
	snags replay s.json ./door
	[ "$status" = 66 ]
	snags explore --exhaustive --ignore race ./door
	[ "$status" = 0 ]
	grep -q ': all [0-9]* classes of equivalent runs$' <<<"$stderr"
}

@test "exhaustive: n threads with k sections have (nk)! / k!^n classes" {
	sections
	for how in "1 3 1" "2 2 6" "2 3 20" "3 2 90" "4 1 24"; do
		read -r n k expected <<<"$how"
		for fork in "" --no-fork; do
			# shellcheck disable=SC2086 # no word at all, or one
			snags explore --exhaustive $fork --json r.json ./sections "$n" "$k"
			[ "$status" = 0 ]
			[ "$(jq -r '.explore | .exhaustive, .classes, .failure' r.json | xargs)" = "true $expected null" ]
		done
	done
	grep -q ': all 24 classes of equivalent runs$' <<<"$stderr"
	snags explore --exhaustive --schedules 10 --json r.json ./sections 3 2
	[ "$status" = 0 ]
	[ "$(jq -r '.explore | .exhaustive, .schedules, .gap' r.json | xargs)" = "false 10 the limit of schedules was reached" ]
}

@test "exhaustive: as brute force on random programs" {
	run python3 "$root/tests/explore/check.py" --programs 8 --most 200 "$SNAG" 7
	echo "$output"
	[ "$status" = 0 ]
}

@test "exhaustive: a thread that ends the process does not hide what others can do" {
	build under <<-'END'
		#include <pthread.h>
		#include <stdatomic.h>
		#include <unistd.h>
		static atomic_int x;
		static void *ends(void *arg)
		{
			int one = 1;
			if (!atomic_compare_exchange_strong(&x, &one, 1))
				_exit(0);
			return arg;
		}
		static void *adds(void *arg) { atomic_fetch_add(&x, 1); return arg; }
		int main(void)
		{
			pthread_t t[4];
			for (int i = 0; i < 4; i++)
				pthread_create(&t[i], 0, i < 3 ? ends : adds, 0);
			for (int i = 0; i < 4; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	# Some of the three succeed, in any order, and the others look at x before it is 1.
	snags explore --exhaustive --json r.json ./under
	[ "$status" = 0 ]
	[ "$(jq -r '.explore | .exhaustive, .classes' r.json | xargs)" = "true 16" ]
}

@test "exhaustive: threads that spin, a few looks each" {
	build ticket <<-'END'
		#include <pthread.h>
		#include <stdatomic.h>
		static atomic_int next, owner, locked;
		static int x;
		static void *ticket(void *arg)
		{
			int mine = atomic_fetch_add(&next, 1);
			while (atomic_load(&owner) != mine)
				;
			x++;
			atomic_fetch_add(&owner, 1);
			return arg;
		}
		static void *swap(void *arg)
		{
			for (int zero = 0; !atomic_compare_exchange_strong(&locked, &zero, 1); zero = 0)
				;
			x++;
			atomic_store(&locked, 0);
			return arg;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[2];
			(void)argv;
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, argc > 1 ? swap : ticket, 0);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
			return x != 2;
		}
	END
	for how in "" swap; do
		# shellcheck disable=SC2086 # no word at all, or one
		snags explore --exhaustive --seconds 60 --json r.json ./ticket $how
		[ "$status" = 0 ]
		grep -q 'all [0-9]* classes of equivalent runs in which no thread looks in vain more than 4 times in a row$' <<<"$stderr"
		[ "$(jq -r '.explore | .exhaustive, .within' r.json)" = "false
in which no thread looks in vain more than 4 times in a row" ]
	done
}

@test "a thread that always can run does not keep the others waiting" {
	build poll <<-'END'
		#include <pthread.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static int ready, n;
		static void *polls(void *arg)
		{
			for (int is_ready = 0; !is_ready;) {
				pthread_mutex_lock(&m);
				is_ready = ready;
				pthread_mutex_unlock(&m);
			}
			return arg;
		}
		static void *sets(void *arg)
		{
			pthread_mutex_lock(&m);
			ready = 1;
			pthread_mutex_unlock(&m);
			return arg;
		}
		static void *works(void *arg)
		{
			for (;;) {
				pthread_mutex_lock(&m);
				n++;
				pthread_mutex_unlock(&m);
			}
			return arg;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[3];
			(void)argv;
			for (int i = 0; i < 3; i++)
				pthread_create(&t[i], 0, argc > 1 ? works : i < 2 ? polls : sets, 0);
			for (int i = 0; argc == 1 && i < 3; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	for policy in pct surw; do
		snags explore --policy "$policy" --schedules 20 ./poll
		[ "$status" = 0 ]
		snags explore --policy "$policy" --schedules 5 ./poll forever
		[ "$status" = 0 ]
	done
	snags explore --exhaustive --schedules 3 ./poll
	[ "$status" = 0 ]
}

@test "every policy finds it, and a seed repeats the search" {
	lost_update
	for policy in all random pct pos surw guided; do
		snags explore --policy $policy --schedules 2000 -o s.json ./lost
		[ "$status" = 66 ]
	done
	for _ in 1 2; do
		snags explore --jobs 1 --seed 5 --json r.json -o s.json ./lost
		jq -c '.explore.failures' r.json >>seen
	done
	[ "$(sort -u seen | wc -l)" = 1 ]
}

@test "a read that sees an old value, behind thirty threads that write" {
	# The last thread must come after the first section of some other thread, and before the second
	# sections of all of them: no walk at random finds that.
	build old <<-'END'
		#include <assert.h>
		#include <pthread.h>
		static int a, b;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
		typedef pthread_mutex_t lock;
		static void set(int *x, lock *l) { pthread_mutex_lock(l); *x = 1; pthread_mutex_unlock(l); }
		static int get(int *x, lock *l) { pthread_mutex_lock(l); int v = *x; pthread_mutex_unlock(l); return v; }
		static void *writes(void *arg) { set(&a, &m); set(&b, &n); return arg; }
		static void *reads(void *arg) { if (get(&a, &m)) assert(get(&b, &n)); return arg; }
		int main(void)
		{
			pthread_t t[31];
			for (int i = 0; i < 31; i++)
				pthread_create(&t[i], 0, i < 30 ? writes : reads, 0);
			for (int i = 0; i < 31; i++)
				pthread_join(t[i], 0);
		}
	END
	for seed in 1 2 3; do
		snags explore --jobs 1 --schedules 400 --seed $seed ./old
		[ "$status" = 66 ]
		[[ $stderr == *"a failed assertion"* ]]
	done
}

@test "suppressed races do not count; others do" {
	build quiet <<-'END'
		#include <pthread.h>
		static int x, y;
		__attribute__((noinline)) static void quiet_write(void) { x++; }
		__attribute__((noinline)) static void loud_write(void) { y++; }
		static void *run(void *arg) { quiet_write(); if (arg) loud_write(); return 0; }
		int main(int argc, char **argv)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, run, argc > 1 ? argv : 0);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
		}
	END
	echo 'race:quiet_write' >file
	snags explore --schedules 30 --suppressions file ./quiet
	[ "$status" = 0 ]
	[[ $stderr == *"no failure in 30 schedules"* ]]
	TSAN_OPTIONS=suppressions=file snags explore --schedules 30 ./quiet
	[ "$status" = 0 ]
	snags explore --schedules 30 ./quiet
	[ "$status" = 66 ]
	snags explore --schedules 30 --suppressions file ./quiet loud
	[ "$status" = 66 ]
	[[ $stderr == *"in loud_write"* ]]
	refute grep -q 'SUMMARY.*quiet_write' <<<"$stderr"
	snags explore --suppressions missing ./quiet
	[ "$status" = 2 ]
	[ "$stderr" = "snag: explore: missing: No such file or directory" ]
}

@test "races of memory that is accessed in parts" {
	for name in race_split_memcpy race_split_bitfield race_behind_splits; do
		"$SNAG" cc -O1 -g -pthread -o prog "$BATS_TEST_DIRNAME/../programs/$name.c"
		snags explore --schedules 60 ./prog
		[ "$status" = 66 ]
		[[ $stderr == *"a data race, in schedule"* ]]
	done
}

@test "nobody waits for the clock, and the program sees that time passes" {
	build sleeps <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		static double now(void)
		{
			struct timespec t;
			clock_gettime(CLOCK_MONOTONIC, &t);
			return t.tv_sec + t.tv_nsec / 1e9;
		}
		static void *run(void *arg)
		{
			pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
			pthread_cond_t c = PTHREAD_COND_INITIALIZER;
			struct timespec at;
			double begin = now();
			time_t second = time(0);
			sleep(3600);
			if (now() - begin < 3599 || time(0) - second < 3598)
				puts("slept too short");
			clock_gettime(CLOCK_REALTIME, &at);
			at.tv_sec += 3600;
			pthread_mutex_lock(&m);
			pthread_cond_timedwait(&c, &m, &at);
			pthread_mutex_unlock(&m);
			if (now() - begin < 7198)
				puts("waited too short");
			return arg;
		}
		int main(void)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, run, 0);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
		}
	END
	snags explore --schedules 50 --same-output ./sleeps
	[ "$status" = 0 ]
	[ "$output" = "" ]
	[[ $stderr == *"no failure in 50 schedules"* ]]
}

@test "a hang, a crash, and several failures in one search" {
	build bad <<-'END'
		#include <pthread.h>
		#include <stdatomic.h>
		#include <unistd.h>
		static atomic_int order;
		static void *one(void *p) { int mine = ++order; if (mine == 2) for (;;) pause(); return p; }
		static void *two(void *p) { int mine = ++order; if (mine == 3) *(volatile int *)8 = 1; return p; }
		static void *three(void *p) { ++order; return p; }
		int main(void)
		{
			pthread_t t[3];
			pthread_create(&t[0], 0, one, 0);
			pthread_create(&t[1], 0, two, 0);
			pthread_create(&t[2], 0, three, 0);
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	snags explore --keep-going --timeout 0.5 --schedules 60 --json r.json -o s.json ./bad
	[ "$status" = 66 ]
	[ "$(jq -r '[.explore.failures[].kind] | sort | join(" ")' r.json)" = "crash hang" ]
	[ -f s.json ] && [ -f s.json.2 ]
	refute pgrep -f "$PWD/bad"
}

@test "what a program does with files, input and output" {
	build reads <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		static char word[64];
		static void *run(void *p) { return fgets(p, sizeof(word), stdin); }
		int main(int argc, char **argv)
		{
			char first[64];
			pthread_t t;
			if (!fgets(first, sizeof(first), stdin) || strcmp(first, "one\n") != 0)
				return 3;
			FILE *f = fopen(argv[1], "r");
			char c = (char)fgetc(f);
			pthread_create(&t, 0, run, word);
			pthread_join(t, 0);
			for (int i = 0; i < 1000; i++)
				fprintf(stderr, "%0100d\n", i);
			if (c != 'a' || fgetc(f) != 'b' || strcmp(word, "two\n") != 0)
				return 4;
			return 0;
		}
	END
	printf 'ab' >data
	printf 'one\ntwo\n' >input
	for fork in "" --no-fork; do
		# shellcheck disable=SC2086
		run --separate-stderr "$SNAG" explore $fork --expect 0 --schedules 30 ./reads data <input
		[ "$status" = 0 ]
		grep -q 'no failure in 30 schedules' <<<"$stderr"
	done
	run --separate-stderr "$SNAG" explore --expect 0 --schedules 30 ./reads data </dev/null
	[ "$status" = 66 ]
	grep -q 'exit status 3 instead of 0, in schedule 1 ' <<<"$stderr"
}

@test "a program that cannot be forked runs as processes" {
	build piped <<-'END'
		#include <pthread.h>
		#include <unistd.h>
		static int end[2];
		static void *run(void *p) { char c; return read(end[0], &c, 1) == 1 ? p : 0; }
		int main(void)
		{
			pthread_t t;
			if (pipe(end) < 0 || write(end[1], "a", 1) != 1)
				return 1;
			pthread_create(&t, 0, run, &t);
			void *got;
			pthread_join(t, &got);
			return got != &t;
		}
	END
	snags explore --schedules 20 ./piped
	[ "$status" = 0 ]
	grep -q 'each schedule was a process of its own, because the program cannot be forked: it has pipes' <<<"$stderr"
}

@test "what cannot be explored" {
	echo 'int main(void) { return 0; }' >plain.c
	"$SNAG" cc plain.c -o plain
	snags explore --json r.json ./plain
	[ "$status" = 0 ]
	grep -q 'the program has one thread, and so one schedule' <<<"$stderr"
	[ "$(jq -r '.explore | .schedules, .exhaustive' r.json | xargs)" = "1 true" ]
	snags explore ./missing
	refused 2 'snag: explore: ./missing: No such file or directory'
	snags explore /bin/true
	refused 2 "snag: explore: /bin/true: was not built with this 'snag cc', or did not start"
	snags explore --ignore race,walk ./plain
	refused 2 "snag: explore: --ignore: unknown kind 'walk'; there are *race,*"
	snags explore --policy best ./plain
	[ "$status" = 2 ]
	snags explore -o /nowhere/s.json ./plain
	refused 2 'snag: explore: /nowhere/s.json: *'
}
