#!/usr/bin/env bats
# Threads that run in parallel (--free): docs/algorithms/parallel.md.
load helper

build() { # COMPILER SOURCE
	SNAG_CC=$1 "$SNAG" cc -O1 -g -pthread -o prog "$2"
}

expect() { # STATUS COMMAND...
	local wanted=$1 status=0
	shift
	timeout -k 5 120 "$@" >out 2>&1 || status=$?
	[ "$status" = "$wanted" ] || { echo "$*: status $status"; cat out; return 1; }
}

# Threads that synchronise in every way; what each does follows from its own number alone.
ways() {
	cat >ways.c <<-'END'
		#include <pthread.h>
		#include <semaphore.h>
		#include <stdatomic.h>
		#include <stdlib.h>
		#include <string.h>
		enum { THREADS = 4, ROUNDS = 40 };
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, deep;
		static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
		static pthread_spinlock_t spin;
		static pthread_barrier_t barrier;
		static sem_t sem;
		static atomic_int n;
		static int a, b, c, table[64];
		static void *run(void *arg)
		{
			int *own = calloc(16, sizeof(int));
			for (int i = 0; i < ROUNDS; i++) {
				pthread_mutex_lock(&mutex);
				a += i;
				pthread_mutex_unlock(&mutex);
				pthread_mutex_lock(&deep);
				pthread_mutex_lock(&deep);
				b += b ? 1 : 2;
				pthread_mutex_unlock(&deep);
				b++;
				pthread_mutex_unlock(&deep);
				pthread_rwlock_rdlock(&rwlock);
				own[i % 16] = table[i];
				pthread_rwlock_unlock(&rwlock);
				if (i % 4 == 0) {
					pthread_rwlock_wrlock(&rwlock);
					memset(table, i, sizeof(table));
					pthread_rwlock_unlock(&rwlock);
				}
				sem_wait(&sem);
				c++;
				sem_post(&sem);
				pthread_spin_lock(&spin);
				c += 3;
				pthread_spin_unlock(&spin);
				atomic_fetch_add(&n, 1);
				if (i % 8 == 0)
					pthread_barrier_wait(&barrier);
				free(own);
				own = calloc(16, sizeof(int));
			}
			free(own);
			return arg;
		}
		int main(void)
		{
			pthread_t t[THREADS];
			pthread_mutexattr_t kind;
			pthread_mutexattr_init(&kind);
			pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
			pthread_mutex_init(&deep, &kind);
			pthread_spin_init(&spin, 0);
			pthread_barrier_init(&barrier, 0, THREADS);
			sem_init(&sem, 0, 1);
			for (int i = 0; i < THREADS; i++)
				pthread_create(&t[i], 0, run, 0);
			for (int i = 0; i < THREADS; i++)
				pthread_join(t[i], 0);
			return atomic_load(&n) != THREADS * ROUNDS;
		}
	END
	# The lock of c is the semaphore: the access under the spin lock races with those of others.
	sed 's/c += 3;/;/' ways.c >clean.c
}

@test "a program that synchronises in every way: no race, and the one that it has" {
	ways
	for compiler in gcc clang; do
		build $compiler clean.c
		for i in 1 2 3; do expect 0 "$SNAG" run --free ./prog; done
		build $compiler ways.c
		expect 66 "$SNAG" run --free --with hb ./prog
		grep -q "at c by" out
	done
}

# The events of each thread of a schedule, but for main, whose last turn is in no file.
events_of() { awk '/^[1-9]/ { n[$1] += $2 } END { for (t in n) print t, n[t] }' "$1" | sort -n; }

@test "the program follows the schedule of a parallel run, and does the same" {
	ways
	for compiler in gcc clang; do
		build $compiler clean.c
		expect 0 "$SNAG" record --free --schedule s -o free.snag ./prog
		expect 0 "$SNAG" record --follow s --schedule f -o turns.snag ./prog
		[ "$(events_of s)" = "$(events_of f)" ]
		expect 0 "$SNAG" analyze free.snag
		expect 0 "$SNAG" analyze turns.snag
		# The same synchronisation in the same order.
		for trace in free turns; do
			"$SNAG" convert $trace.snag $trace.std
			grep -E '\|(acq|rel|fork|join|racq|rrel)' $trace.std |
				sed 's/|[^|]*$//' >$trace.sync
		done
		[ "$(wc -l <free.sync)" -gt 1000 ]
		cmp free.sync turns.sync
	done
}

# Message passing, 2000 times; the orders are those of the store and of the load.
litmus() { # STORE LOAD FENCES
	cat >litmus.c <<-END
		#include <pthread.h>
		#include <stdatomic.h>
		enum { ROUNDS = 2000 };
		static struct { int data; atomic_int flag; } m[ROUNDS];
		static int seen;
		static void *send(void *arg)
		{
			for (int i = 0; i < ROUNDS; i++) {
				m[i].data = i;
				if ($3)
					atomic_thread_fence(memory_order_release);
				atomic_store_explicit(&m[i].flag, 1, memory_order_$1);
			}
			return arg;
		}
		static void *receive(void *arg)
		{
			for (int i = 0; i < ROUNDS; i++) {
				while (!atomic_load_explicit(&m[i].flag, memory_order_$2))
					;
				if ($3)
					atomic_thread_fence(memory_order_acquire);
				seen += m[i].data;
			}
			return arg;
		}
		int main(void)
		{
			pthread_t a, b;
			pthread_create(&a, 0, send, 0);
			pthread_create(&b, 0, receive, 0);
			pthread_join(a, 0);
			pthread_join(b, 0);
			return seen != ROUNDS * (ROUNDS - 1) / 2;
		}
	END
}

@test "atomics: what their orders synchronise, and what they do not" {
	for compiler in gcc clang; do
		litmus release acquire 0
		build $compiler litmus.c
		expect 0 "$SNAG" run --free --with hb ./prog
		litmus relaxed relaxed 1
		build $compiler litmus.c
		expect 0 "$SNAG" run --free --with hb ./prog
		litmus relaxed acquire 0
		build $compiler litmus.c
		expect 66 "$SNAG" run --free --with hb ./prog
	done
}

# Store buffering, independent reads of independent writes, and counting: what each thread saw.
saw() { # ORDER FENCE
	cat >saw.c <<-END
		#include <pthread.h>
		#include <stdatomic.h>
		#include <stdio.h>
		enum { ROUNDS = 400, THREADS = 4, LOOKS = 3 * ROUNDS };
		static atomic_int x[ROUNDS], y[ROUNDS], n;
		static int saw[THREADS][LOOKS];
		static void *run(void *arg)
		{
			int me = (int)(long)arg, *to = saw[me];
			for (int i = 0; i < ROUNDS; i++) {
				atomic_int *own = me % 2 ? x : y, *other = me % 2 ? y : x;
				if (me < 2)
					atomic_store_explicit(&own[i], 1, memory_order_$1);
				else
					*to++ = atomic_load_explicit(&own[i], memory_order_$1);
				if ($2)
					atomic_thread_fence(memory_order_seq_cst);
				*to++ = atomic_load_explicit(&other[i], memory_order_$1);
				*to++ = atomic_fetch_add_explicit(&n, 1, memory_order_$1);
			}
			return 0;
		}
		int main(void)
		{
			pthread_t t[THREADS];
			for (long i = 0; i < THREADS; i++)
				pthread_create(&t[i], 0, run, (void *)i);
			for (int i = 0; i < THREADS; i++)
				pthread_join(t[i], 0);
			for (int i = 0; i < THREADS; i++) {
				printf("T%d", i + 1);
				for (int k = 0; k < (i < 2 ? 2 : 3) * ROUNDS; k++)
					printf(" %d", saw[i][k]);
				printf("\n");
			}
			return 0;
		}
	END
	cat >values.py <<-'END'
		import collections, re, sys
		memory, saw = collections.Counter(), collections.defaultdict(list)
		for line in open(sys.argv[1]):
		    thread, event = line.split("|")[:2]
		    kind, variable = re.match(r"(\w+)[\w.]*(\(.*\))?", event).groups()
		    if kind in ("ar", "au") or re.match(r"a[ru]\d", kind):
		        saw[thread].append(memory[variable])
		    if kind[:2] in ("aw", "au"):
		        memory[variable] += 1
		for thread in sorted(saw):
		    print(thread, *saw[thread])
	END
}

@test "what each atomic operation saw is what the merged trace says" {
	for compiler in gcc clang; do
		for how in "relaxed 0" "relaxed 1" "seq_cst 0"; do
			# shellcheck disable=SC2086 # two words
			saw $how
			build $compiler saw.c
			expect 0 "$SNAG" record --free -o t.snag ./prog
			grep '^T' out >printed
			"$SNAG" convert t.snag t.std
			python3 values.py t.std >merged
			[ "$(wc -w <merged)" = 4004 ]
			cmp printed merged
		done
	done
}

@test "64 threads, and threads one after the other" {
	cat >many.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		static pthread_mutex_t lock[8];
		static int part[8], racy;
		static void *run(void *arg)
		{
			long me = (long)arg;
			for (int i = 0; i < 500; i++) {
				int k = (int)(me * 31 + i) % 8;
				int *own = malloc(64 + i);
				own[0] = i;
				pthread_mutex_lock(&lock[k]);
				part[k] += own[0];
				pthread_mutex_unlock(&lock[k]);
				free(own);
			}
			if (me == 63 || me == 17)
				racy++;
			return 0;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[64];
			for (int i = 0; i < 8; i++)
				pthread_mutex_init(&lock[i], 0);
			for (int round = 0; round < 4; round++) {
				for (long i = 0; i < 64; i++)
					pthread_create(&t[i], 0, run, (void *)(argc > 1 ? i : i % 17));
				for (int i = 0; i < 64; i++)
					pthread_join(t[i], 0);
			}
			return 0;
		}
	END
	build gcc many.c
	expect 0 "$SNAG" run --free --with hb ./prog
	expect 66 "$SNAG" run --free --with hb ./prog race
	[ "$(grep -c "at racy by" out)" -ge 1 ]
	! grep -q "at part" out
}

@test "a program that ends while its threads run, or is killed, leaves a trace" {
	cat >runs.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdatomic.h>
		#include <unistd.h>
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		static int shared;
		static atomic_int rounds;
		static void *run(void *arg)
		{
			for (;;) {
				pthread_mutex_lock(&mutex);
				shared++;
				pthread_mutex_unlock(&mutex);
				atomic_fetch_add(&rounds, 1);
			}
			return arg;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[3];
			for (int i = 0; i < 3; i++)
				pthread_create(&t[i], 0, run, 0);
			while (atomic_load(&rounds) < 20000)
				usleep(1000);
			if (argc > 1)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
	END
	build gcc runs.c
	expect 0 "$SNAG" record --free -o t.snag ./prog
	expect 0 "$SNAG" analyze t.snag
	expect 137 "$SNAG" record --free -o t.snag ./prog killed
	expect 0 "$SNAG" analyze t.snag
	[ "$("$SNAG" info --json t.snag | python3 -c 'import json,sys; print(json.load(sys.stdin)["trace"]["events"] > 60000)')" = True ]
}

programs=6
if is_sanitized; then programs=2; fi

@test "random programs: what is reported races in some interleaving" {
	run "$root/tests/threads/check.py" --free --programs $programs "$SNAG" 22
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *"programs $programs, "* ]]
}

@test "checks that the pass puts into loops are no accesses of the program" {
	cat >loops.c <<-'END'
		#include <pthread.h>
		static int a[4096], b[4096];
		static __attribute__((noinline)) void add(int *to, const int *from, int n)
		{
			for (int i = 0; i < n; i++) /* told as a whole, or checked if it is short */
				to[i] = from[i] + 1;
		}
		static void *run(void *arg)
		{
			int at = arg ? 2048 : 0;
			for (int n = 1; n < 60; at += n++)
				add(a + at, b + at, n);
			return 0;
		}
		int main(void)
		{
			pthread_t t;
			for (int i = 0; i < 4096; i++)
				b[i] = i;
			pthread_create(&t, 0, run, a);
			run(0);
			pthread_join(t, 0);
			return 0;
		}
	END
	for compiler in gcc clang; do
		SNAG_CC=$compiler "$SNAG" cc -O2 -g -pthread -o prog loops.c
		for how in --free --seed=1; do
			expect 0 "$SNAG" record $how -o t.snag ./prog
			"$SNAG" convert t.snag t.std
			grep -q 'w(a' t.std
			if grep -E 'rt_filter|__snag|rt_hot' t.std; then return 1; fi
			# Runs and whole loops: every element, once written and once read.
			grep -oE '\|[rw]\([ab](\+0x[0-9a-f]*)?\)' t.std | sort -u >elements.$how
			[ "$(wc -l <elements.$how)" -ge $((4 * 1770)) ]
		done
		cmp elements.--free elements.--seed=1
	done
}

@test "loops in parallel: the schedule of the run has as many events as one that follows it" {
	cat >many.c <<-'END'
		#include <pthread.h>
		enum { THREADS = 6, N = 3000 };
		static long a[THREADS][N], sum;
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		static void *run(void *arg)
		{
			long *own = arg, part = 0;
			for (int round = 0; round < 30; round++) {
				for (int i = 0; i < N; i++)
					own[i] += i;
				for (int i = 3; i < N; i += 7)
					part += own[i] * own[i - 3];
				for (int i = 1; i < N; i += 1 + (own[i] & 3))
					i += own[i] == round;
				pthread_mutex_lock(&mutex);
				sum += part;
				pthread_mutex_unlock(&mutex);
			}
			return 0;
		}
		int main(void)
		{
			pthread_t t[THREADS];
			for (int i = 0; i < THREADS; i++)
				pthread_create(&t[i], 0, run, a[i]);
			for (int i = 0; i < THREADS; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	for compiler in gcc clang; do
		SNAG_CC=$compiler "$SNAG" cc -O2 -g -pthread -o prog many.c
		expect 0 "$SNAG" record --free --schedule s -o free.snag ./prog
		expect 0 "$SNAG" record --follow s --schedule f -o turns.snag ./prog
		[ "$(events_of s | wc -l)" = 6 ]
		[ "$(events_of s)" = "$(events_of f)" ]
		expect 0 "$SNAG" analyze free.snag
		expect 0 "$SNAG" run --free ./prog
	done
}

@test "signals, fork and calls that block, while threads run in parallel" {
	cat >mixed.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdatomic.h>
		#include <sys/wait.h>
		#include <unistd.h>
		enum { N = 200 };
		static atomic_int handled, done;
		static int ends[2], table[4096];
		static void on_signal(int signal) { atomic_fetch_add(&handled, 1); }
		static void *compute(void *arg)
		{
			int *half = arg;
			while (!atomic_load(&done))
				for (int i = 0; i < 1024; i++)
					half[i] += i;
			return 0;
		}
		static void *reads(void *arg)
		{
			char c;
			for (int n = 0; n < N;)
				n += read(ends[0], &c, 1) == 1;
			return 0;
		}
		int main(void)
		{
			pthread_t t[3];
			struct sigaction act = {.sa_handler = on_signal};
			int status, is_wrong = pipe(ends);
			sigaction(SIGUSR1, &act, 0);
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, compute, table + 2048 * i);
			pthread_create(&t[2], 0, reads, 0);
			for (int i = 0; i < N; i++) {
				pthread_kill(t[i % 3], SIGUSR1);
				is_wrong |= write(ends[1], "x", 1) != 1;
				if (i % 50 == 0) {
					pid_t child = fork();
					if (child == 0)
						_exit(table[0] < -1);
					waitpid(child, &status, 0);
					is_wrong |= status;
				}
			}
			while (!atomic_load(&handled))
				usleep(1000);
			atomic_store(&done, 1);
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], 0);
			return is_wrong;
		}
	END
	# The child that reads table[0] is a process of its own.
	for compiler in gcc clang; do
		build $compiler mixed.c
		for i in 1 2; do expect 0 "$SNAG" run --free --with hb ./prog; done
	done
}

@test "predictions of parallel runs: witness, checker, kept trace, JSON and replay" {
	cp "$root/docs/examples/report.c" .
	for compiler in gcc clang; do
		build $compiler report.c
		for detectors in m2 wcp m2,hb; do
			# The race happens in the run, or is predicted: as the kernel schedules the threads.
			rm -rf races kept.snag
			expect 66 "$SNAG" run --free --with $detectors --witness races --keep kept.snag --json j.json ./prog
			[ "$(jq '.incidents | length' j.json)" = 1 ]
			[ "$(jq -r '.incidents[0].accesses[].stack[0].line' j.json | sort | xargs)" = "14 24" ]
			expect 0 "$SNAG" check kept.snag races/race-1.json
			expect 66 "$SNAG" replay races/race-1.json ./prog
			grep -q '^snag: replay: confirmed' out
			expect 66 "$SNAG" analyze --with m2 kept.snag
		done
	done
}

@test "the recorder is killed while a thread waits for it: the program ends by itself" {
	cat >fills.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <unistd.h>
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		static int table[1 << 16], is_over;
		static void *run(void *arg)
		{
			unsigned at = (unsigned)(long)arg;
			for (int ends = 0, i = 0; !ends; i++) {
				at = at * 1103515245 + 12345;
				table[at >> 16]++; /* of any place: no run, mostly not known */
				if (i % 64 == 0) {
					pthread_mutex_lock(&mutex);
					ends = is_over;
					pthread_mutex_unlock(&mutex);
				}
			}
			return 0;
		}
		int main(void)
		{
			pthread_t t[2];
			puts("begins");
			fflush(stdout);
			for (long i = 0; i < 2; i++)
				pthread_create(&t[i], 0, run, (void *)i);
			while (access("killed", F_OK) != 0)
				usleep(10000);
			pthread_mutex_lock(&mutex);
			is_over = 1;
			pthread_mutex_unlock(&mutex);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
			puts("ends");
			return 0;
		}
	END
	build gcc fills.c
	"$SNAG" record --free -o t.snag ./prog >out 2>err 3>&- &
	local recorder=$!
	for i in $(seq 100); do grep -q begins out && break || sleep 0.1; done
	sleep 0.3
	kill -STOP $recorder # the rings fill, and both threads wait
	sleep 0.5
	kill -KILL $recorder
	touch killed
	for i in $(seq 600); do grep -q ends out && break || sleep 0.1; done
	grep -q ends out
	grep -q "the recorder has ended" err
}

@test "a post or a signal uses the token again that its thread has read: few variables" {
	cat >ping.c <<-'END'
		#include <pthread.h>
		#include <semaphore.h>
		enum { ROUNDS = 500 };
		static sem_t ping, pong;
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
		static int turn, data;
		static void *other(void *arg)
		{
			for (int i = 0; i < ROUNDS; i++) {
				sem_wait(&ping);
				data++;
				sem_post(&pong);
			}
			pthread_mutex_lock(&mutex);
			for (int i = 0; i < ROUNDS; i++) {
				while (turn != 1)
					pthread_cond_wait(&cond, &mutex);
				turn = 0;
				pthread_cond_broadcast(&cond);
			}
			pthread_mutex_unlock(&mutex);
			return arg;
		}
		int main(void)
		{
			pthread_t t;
			sem_init(&ping, 0, 0);
			sem_init(&pong, 0, 0);
			pthread_create(&t, 0, other, 0);
			for (int i = 0; i < ROUNDS; i++) {
				data++;
				sem_post(&ping);
				sem_wait(&pong);
			}
			pthread_mutex_lock(&mutex);
			for (int i = 0; i < ROUNDS; i++) {
				turn = 1;
				pthread_cond_signal(&cond);
				while (turn != 0)
					pthread_cond_wait(&cond, &mutex);
			}
			pthread_mutex_unlock(&mutex);
			pthread_join(t, 0);
			return data != 2 * ROUNDS;
		}
	END
	build gcc ping.c
	for how in --free --seed=3; do
		expect 0 "$SNAG" record $how -o t.snag ./prog
		expect 0 "$SNAG" analyze t.snag
		"$SNAG" convert t.snag t.std
		grep -oE 'sync#[0-9]+' t.std >uses
		[ "$(wc -l <uses)" -ge 2000 ]
		[ "$(sort -u uses | wc -l)" -le 4 ]
	done
	# The order of a hand-over is there in every one: without the first, each later one is a race.
	sed 's/data++;$/if (i == 250) data++;/; s/sem_wait(&ping);/if (i != 250) sem_wait(\&ping);/' ping.c >racy.c
	build gcc racy.c
	expect 66 "$SNAG" run --free --with hb ./prog
	grep -q "at data by" out
}

@test "a write of more than the pipe has room for, while another thread reads" {
	cat >full.c <<-'END'
		#include <pthread.h>
		#include <unistd.h>
		enum { N = 1 << 20 };
		static char from[N], to[N];
		static int ends[2];
		static void *reads(void *arg)
		{
			for (ssize_t at = 0, n; at < N; at += n)
				if ((n = read(ends[0], to + at, N - at)) <= 0)
					return 0;
			return arg;
		}
		int main(void)
		{
			pthread_t t;
			void *is_read;
			if (pipe(ends) || pthread_create(&t, 0, reads, from))
				return 1;
			if (write(ends[1], from, N) != N || pthread_join(t, &is_read))
				return 2;
			return !is_read;
		}
	END
	build gcc full.c
	expect 0 "$SNAG" run --free ./prog
}
