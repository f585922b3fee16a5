#!/usr/bin/env bats
# snag cc and snag record as a user meets them: builds of all kinds, repeated runs, programs
# that end badly, errors.
load helper

programs=$BATS_TEST_DIRNAME/../programs

@test "the same seed gives the same trace, another one another" {
	for p in norace_spin norace_cond norace_semaphore norace_mutex; do
		snag cc -O1 -pthread "$programs/$p.c" -o prog
		for policy in random rr pct; do
			snag record --policy $policy --seed 7 -o a.snag ./prog
			snag record --policy $policy --seed 7 -o b.snag ./prog
			cmp a.snag b.snag
		done
		snag record --seed 8 -o c.snag ./prog
		refute cmp -s a.snag c.snag
	done
	snag convert c.snag c.std
	refute grep -F pthread_getattr_np c.std # what the runtime itself calls
}

@test "a schedule that was written can be followed" {
	for p in norace_cond norace_rwlock norace_fence norace_spin race_volatile; do
		snag cc -pthread "$programs/$p.c" -o prog
		snag record --seed 5 -o a.snag --schedule turns ./prog
		[ "$(wc -l <turns)" -gt 4 ]
		snag record --seed 6 -o b.snag --follow turns ./prog
		cmp a.snag b.snag
	done
}

@test "a mute run follows its schedule, and records nothing before the last two turns" {
	cp "$programs/race_volatile.c" .
	for compiler in gcc clang; do
		SNAG_CC=$compiler snag cc -pthread race_volatile.c -o prog
		snag record --seed 5 -o a.snag --schedule turns ./prog
		head -n "$(($(wc -l <turns) / 2))" turns >half
		for mute in 0 1; do
			SNAG_OPTIONS=forget=1:mute=$mute snag record -o $mute.snag --follow half ./prog
			snag convert --lenient $mute.snag $mute.std
			# main's own variables have no name where its stack was not recorded
			grep -v '^T0' $mute.std | cut -d'|' -f1,2 >$mute
		done
		some=$(wc -l <1)
		[ "$some" -gt 100 ]
		[ "$some" -lt "$(($(wc -l <0) * 3 / 4))" ]
		tail -n "$some" 0 | cmp - 1
	done
}

@test "an access without synchronisation since is recorded once, whoever had turns in between" {
	cat >turns.c <<-'END'
		#include <pthread.h>
		volatile int own[2][64], shared[64];
		static void *work(void *of)
		{
			for (int round = 0; round < 100; round++)
				for (int i = 0; i < 64; i++)
					((volatile int *)of)[i]++, shared[i]++;
			return 0;
		}
		int main(void)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, work, (void *)own[i]);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
		}
	END
	for compiler in gcc clang; do
		SNAG_CC=$compiler snag cc -O1 -pthread turns.c -o turns
		SNAG_OPTIONS=policy=rr:quantum=2500 snag record -o a.snag --schedule schedule ./turns
		SNAG_OPTIONS=policy=rr:quantum=2500 snag record -o b.snag --follow schedule ./turns
		SNAG_OPTIONS=policy=rr:quantum=2500:forget=1 snag record -o all.snag --follow schedule ./turns
		cmp a.snag b.snag
		for t in a all; do
			snag convert $t.snag $t.std
			snags analyze --with hb --pairs --json - $t.snag
			jq -c '.analyses[0].races[].variable' <<<"$output" | sort -u >$t.races
		done
		[ "$(grep -c '(own' a.std)" = 256 ] # each thread reads and writes 64
		[ "$(grep -c '(own' all.std)" -gt 512 ]
		[ "$(grep -c '(shared' a.std)" -gt 512 ] # where the other one has been since
		cmp a.races all.races
		[ "$(wc -l <a.races)" = 64 ]
	done
}

@test "what loops do again is the same trace as if it were recorded each time" {
	cat >loops.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static double a[4096], b[4096];
static short s[4096];
static char c[4096];
static struct { long x; int y; char z[20]; } t[512];
static unsigned long long wide[512][2];
static int helper(int *p, int i) { return p[i] + (i & 1 ? p[i + 1] : 0); }
static int ints[4098];
static void *loops(void *arg)
{
	unsigned state = *(unsigned *)arg;
	for (int round = 0; round < 60; round++) {
		state = state * 1103515245 + 12345;
		int stride = 1 + (state >> 16) % 7, n = (state >> 20) % 500, from = (state >> 8) % 64;
		for (int i = 0; i < n; i++) {
			switch (round % 6) {
			case 0: a[from + i] = b[stride * i] + 1; break;
			case 1: s[i] = c[4095 - i * stride]++; break;
			case 2: t[i].x += t[i].y; t[i].z[i % 20] = t[n - i].z[3]; break;
			case 3: memcpy(wide[i], wide[n - i], 16); break;
			case 4: ints[from] += helper(ints, i); break;
			default: a[(state >> 3) + (unsigned)i * i & 4095] = a[i] + c[i]; break;
			}
		}
	}
	return 0;
}
int main(int n, char **v)
{
	pthread_t thread[2];
	unsigned seed[2] = {atoi(v[1]), 7};
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], 0, loops, &seed[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], 0);
}
C
	for cc in gcc clang; do
		for o in -O0 -O2; do
			SNAG_CC=$cc snag cc $o -pthread loops.c -o loops
			for seed in 1 2 3; do
				snag record --seed $seed -o a.snag ./loops $seed
				snag record --seed $seed -o again.snag ./loops $seed
				cmp a.snag again.snag
				snag convert a.snag a.std
				SNAG_OPTIONS=runs=0 snag record --seed $seed -o b.snag ./loops $seed
				snag convert b.snag b.std
				cmp a.std b.std
				snag record --seed $seed -o c.std ./loops $seed
				cmp a.std c.std
			done
		done
	done
}

@test "a lock in assembly: whoever waits lets others run, and keeps its registers" {
	cat >asm.c <<-'END'
		#include <immintrin.h>
		#include <pthread.h>
		#include <stdlib.h>
		static unsigned next, serving;
		static double sum[2];
		static void *work(void *of)
		{
			double *mine = of, x = 1, y = 2, z = 3;
			for (int i = 0; i < 20000; i++) {
				unsigned ticket = 1, now;
				__asm__ volatile("lock xaddl %0, %1" : "+r"(ticket), "+m"(next) : : "memory");
				for (;;) {
					__asm__ volatile("movl %1, %0" : "=r"(now) : "m"(serving) : "memory");
					if (now == ticket)
						break;
					if (i & 1)
						_mm_pause();
					else
						__asm__ volatile("pause");
				}
				x += 1, y += x, z += y;
				*mine = z;
				__asm__ volatile("incl %0" : "+m"(serving) : : "memory");
			}
			return NULL;
		}
		int main(void)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], NULL, work, &sum[i]);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], NULL);
			return sum[0] != sum[1] || sum[0] < 1e12;
		}
	END
	for compiler in gcc clang; do
		SNAG_CC=$compiler snag cc -O2 -pipe -pthread asm.c -o prog
		./prog # without snag, too
		timeout 30 "$SNAG" record -o a.snag ./prog
		snag record -o b.snag ./prog
		cmp a.snag b.snag
	done
	SNAG_CC=clang snag cc -O2 -fno-snag-pass -pthread -c asm.c # no pass, and no macro
}

@test "waiting awake: for a sleeper, a system call, a signal, and a time" {
	cat >waits.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdatomic.h>
		#include <stdlib.h>
		#include <sys/time.h>
		#include <time.h>
		#include <unistd.h>
		static atomic_int flag;
		static volatile sig_atomic_t got;
		static int ends[2];
		static void *spin(void *arg) { while (!atomic_load(&flag)) ; return arg; }
		static void *until(void *arg)
		{
			time_t end = time(NULL) + 2;
			while (!atomic_load(&flag) && time(NULL) < end) ;
			return arg;
		}
		static void *for_signal(void *arg) { while (!got) ; return arg; }
		static void handle(int number) { got = number; }
		static void *sleeper(void *arg) { sleep(1); atomic_store(&flag, 1); return arg; }
		static void *reader(void *arg)
		{
			char c;
			if (read(ends[0], &c, 1) != 1) abort();
			atomic_store(&flag, 1);
			return arg;
		}
		int main(int argc, char **argv)
		{
			void *(*const does[][3])(void *) = {{spin, spin, sleeper}, {spin, spin, reader},
				{for_signal, for_signal, for_signal}, {until, until, until}};
			int which = atoi(argv[1]);
			struct itimerval later = {.it_value = {.tv_usec = 300000}};
			pthread_t t[3];
			if (pipe(ends) != 0) abort();
			signal(SIGALRM, handle);
			if (which == 2) setitimer(ITIMER_REAL, &later, NULL);
			if (which == 1 && fork() == 0) { usleep(300000); _exit(write(ends[1], "x", 1) != 1); }
			for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, does[which][i], NULL);
			for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
			return 0;
		}
	END
	snag cc -O2 -pthread waits.c -o prog
	for which in 0 1 2 3; do
		timeout 30 "$SNAG" record -o a.snag ./prog $which
	done
	snag record -o a.snag ./prog 0 # a second asleep is no million looks
	snag info --json a.snag >info.json
	[ "$(jq .trace.events info.json)" -lt 1000000 ]
}

@test "a loop that is killed is recorded to its last round" {
	cat >killed.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
int x[100000];
static void *fill(void *arg)
{
	for (int i = 0; i < 90000; i++) {
		x[i] = i;
		if (i == 80000)
			kill(getpid(), SIGKILL);
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, fill, 0);
	pthread_join(t, 0);
}
C
	snag cc -O2 -pthread killed.c -o killed
	SNAG_OPTIONS=quantum=10000000 snags record -o a.snag ./killed
	[ "$status" = 137 ]
	snag convert a.snag a.std
	[ "$(grep -c '|w(x' a.std)" = 80001 ]
}

@test "the status of the program is passed through" {
	printf 'int main(int n, char **v) { return n; }\n' >n.c
	snag cc n.c -o n
	snags record ./n a b
	[ "$status" = 3 ]
	[ -s run.snag ]
}

@test "what a program did before it ended badly is recorded" {
	cat >end.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *count(void *arg)
{
	for (int i = 0; i < 100; i++)
		x++;
	return arg;
}
int main(int n, char **v)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, count, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	switch (v[1][0]) {
	case 's':
		*(volatile int *)8 = 1;
		break;
	case 'a':
		abort();
	case 'e':
		_exit(9);
	default:
		kill(getpid(), SIGKILL);
	}
}
C
	snag cc -pthread end.c -o end
	for how in segv:139 abort:134 exit:9 kill:137; do
		snags record -o $how.snag ./end $how
		[ "$status" = "${how#*:}" ]
		snags analyze --with hb $how.snag
		[ "$status" = 66 ]
	done
	cat >two.c <<'C'
#include <pthread.h>
static volatile int x[9999];
static void *look(void *arg)
{
	for (unsigned i = 0;; i++)
		x[i * 7919 % 9999];
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, look, 0);
	look(0);
}
C
	snag cc -pthread two.c -o two
	"$SNAG" record -o lost.snag ./two & # it is the recorder that is killed
	local events=0
	while [ "${events:-0}" -lt 130000 ]; do # two blocks
		sleep 0.1
		events=$(snag info --json lost.snag 2>/dev/null | jq .trace.events) || events=0
	done
	program=$(cat /proc/$!/task/$!/children)
	kill -9 $!
	wait $! || true
	kill -9 $program
	[ "$(snag info --json lost.snag 2>/dev/null | jq .trace.events)" -gt 50000 ]
	[ "$(snag info --json lost.snag 2>/dev/null | jq .trace.skipped)" = 1 ]
	snags analyze --with hb lost.snag
	[ "$status" = 0 ]
	[ -z "$(ls -A | grep -F .snag-)" ]
	head -c -10 lost.snag >shorter.snag # in the middle of a block
	[ "$(snag info --json shorter.snag 2>/dev/null | jq .trace.skipped)" = 1 ]
	printf 'XXXXXXXX' | dd of=shorter.snag bs=1 seek=600 conv=notrunc 2>/dev/null
	snags info shorter.snag
	refused 2 "snag: info: shorter.snag: offset 32: damaged block"*
}

@test "a program whose recorder is killed goes on, and says that it is no longer observed" {
	cat >goes_on.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <unistd.h>
		static volatile int x, end;
		static void *spin(void *p)
		{
			for (int i = 0; i < 3000000; i++)
				__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
			return p;
		}
		int main(void)
		{
			pthread_t t;
			puts("begun");
			fflush(stdout);
			while (access("go", F_OK) != 0)
				usleep(10000);
			pthread_create(&t, NULL, spin, NULL);
			pthread_join(t, NULL);
			puts("done");
		}
	END
	snag cc -pthread goes_on.c -o goes_on
	"$SNAG" record -o lost.snag ./goes_on >out 2>err &
	local recorder=$! program
	for _ in $(seq 100); do grep -q begun out && break || sleep 0.05; done
	read -r program </proc/$recorder/task/$recorder/children || true
	kill -9 $recorder
	wait $recorder || true
	touch go # it now fills the channel, which nobody reads
	timeout 60 tail --pid="$program" -f /dev/null
	[ "$(cat out)" = $'begun\ndone' ]
	[ "$(cat err)" = "snag: the recorder has ended: this program is no longer observed" ]
}

@test "a deadlock is seen, and said" {
	cat >dead.c <<'C'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *run(void *arg)
{
	pthread_mutex_lock(arg ? &a : &b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(arg ? &b : &a);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&both, 0, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
}
C
	snag cc -pthread dead.c -o dead
	snags record ./dead
	[ "$status" = 66 ]
	[[ $stderr == *"snag: deadlock: no thread can run"* ]]
	[[ $stderr == *"T1 waits for mutex "*", held by T2"* ]]
	[[ $stderr == *"T2 waits for mutex "*", held by T1"* ]]
}

@test "builds: objects, archives, shared libraries, dlopen, no PIE" {
	printf 'extern int x; void add(void) { x++; }\nint x;\n' >lib.c
	cat >main.c <<'C'
#include <pthread.h>
void add(void);
static void *run(void *arg) { add(); return arg; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
}
C
	for cc in gcc clang; do
		export SNAG_CC=$cc
		rm -f libx.a
		snag cc -c lib.c -o lib.o
		snag cc -c main.c -o main.o
		ar rcs libx.a lib.o
		snag cc main.o -L. -lx -pthread -o with_archive
		snag cc main.o lib.o -no-pie -pthread -o no_pie
		snag cc -shared -fPIC lib.c -o liby.so
		snag cc main.o -L. -ly -Wl,-rpath,"$PWD" -pthread -o with_shared
		for prog in with_archive no_pie with_shared; do
			snags record ./$prog
			[ "$status" = 0 ]
			snags analyze --with hb run.snag
			[ "$status" = 66 ] || { echo "$cc $prog"; return 1; }
		done
	done
}

@test "questions to the compiler pass through" {
	[ "$(snag cc --version)" = "$(gcc --version)" ]
	[ "$(snag cc -dumpmachine)" = "$(gcc -dumpmachine)" ]
	printf 'int x = __SANITIZE_THREAD__;\n' >x.c
	snag cc -E x.c | grep -q 'int x = 1;'
}

@test "a program runs by itself, silently, and has options" {
	snag cc -pthread "$programs/norace_mutex.c" -o prog
	run --separate-stderr ./prog
	[ "$status" = 0 ]
	[ -z "$output$stderr" ]
	run --separate-stderr env SNAG_OPTIONS=help=1 ./prog
	[ "$status" = 0 ]
	[[ $stderr == *seed=1* ]]
	run --separate-stderr env SNAG_OPTIONS=sed=1 ./prog
	[ "$status" = 125 ]
	[[ $stderr == "snag: SNAG_OPTIONS: unknown option 'sed'"* ]]
	TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 ./prog
}

@test "little memory, many threads, many locks" {
	cat >many.c <<'C'
#include <pthread.h>
static pthread_mutex_t m[1000];
static int n;
static void *run(void *arg)
{
	pthread_mutex_lock(&m[0]);
	n++;
	pthread_mutex_unlock(&m[0]);
	return arg;
}
int main(void)
{
	pthread_t t[100];
	for (int i = 0; i < 1000; i++)
		pthread_mutex_init(&m[i], 0);
	for (int i = 1; i < 1000; i++)
		pthread_mutex_lock(&m[i]);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 100; i++)
			if (pthread_create(&t[i], 0, run, 0))
				return 1;
		for (int i = 0; i < 100; i++)
			pthread_join(t[i], 0);
	}
	return n != 1000;
}
C
	snag cc -pthread many.c -o many
	snags record ./many
	[ "$status" = 0 ]
	[ "$(snag info --json run.snag | jq .trace.threads)" = 1001 ]
	printf '#!/bin/sh\nulimit -v 2000000; exec ./many\n' >limited
	chmod +x limited
	snags record ./limited
	[ "$status" = 0 ]
}

@test "a full disk: what was written can be read" {
	cat >long.c <<'C'
#include <pthread.h>
static volatile int x[200000];
static void *run(void *arg)
{
	for (unsigned i = 0; i < 200000; i++)
		x[i * 2654435761u % 200000]++;
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
C
	snag cc -pthread long.c -o long
	run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 4200; '$SNAG' record -o run.std ./long"
	refused 2 "snag: record: run.std: File too large"
	snags info --lenient run.std
	[ "$status" = 0 ]
	[ "$(snag info --lenient --json run.std 2>/dev/null | jq .trace.events)" -gt 50000 ]
}

@test "what is cut off a variable on the heap has a name of its own" {
	cat >part.c <<-'C'
	#include <pthread.h>
	#include <stdlib.h>
	#include <string.h>
	static int *v;
	static void *run(void *arg)
	{
		memset(v, 0, 1024);
		v[1] = 1;
		v[0] = 1;
		return 0;
	}
	int main(void)
	{
		pthread_t t;
		v = malloc(1024);
		pthread_create(&t, 0, run, 0);
		pthread_join(t, 0);
	}
	C
	snag cc -O1 -pthread part.c -o part
	snag record ./part
	snag info run.snag
	# A text, and what goes to a pipe, has the refined events that the file delivers; so does the
	# file when it is compressed or comes from a pipe.
	snag cc -O1 -pthread "$programs/race_split_memcpy.c" -o part
	mkfifo pipe.snag
	cat pipe.snag >piped.snag &
	for to in run.snag run.std pipe.snag; do snag record --seed 2 -o $to ./part; done
	wait
	gzip -k run.snag
	for from in run.snag piped.snag run.snag.gz; do
		snag convert $from same.std
		cmp run.std same.std
	done
	snag convert - same.std < <(cat run.snag)
	cmp run.std same.std
	[ "$(grep -c 'T1|w(heap' run.std)" -gt 13 ] # 12 words, the byte, the parts of one
}

@test "errors" {
	snags record ./absent
	refused 2 "snag: record: ./absent: No such file or directory"
	snags record true
	refused 2 "snag: record: true: was not built with this 'snag cc', or did not start"
	[ ! -e run.snag ]
	snags record -o absent/run.snag true
	refused 2 "snag: record: absent/run.snag: No such file or directory"
	snags record --seed x true
	refused 2 "snag: record: --seed 'x'*"
	snags record
	refused 2 "snag: record: expected PROG*"
	snag cc -pthread "$programs/norace_mutex.c" -o prog
	snags record --follow absent ./prog
	refused 2 "snag: record: absent: No such file or directory"
	snags record --follow . ./prog
	refused 2 "snag: record: .: Is a directory"
}

@test "response files that include themselves, and very many" {
	local i
	printf '@a @a' >a
	run --separate-stderr timeout 20 "$SNAG" cc @a
	refused 2 "snag: cc: @a: this response file includes itself"
	printf '@c' >b
	printf '@b' >c
	run --separate-stderr timeout 20 "$SNAG" cc -c @b
	refused 2 "snag: cc: @b: this response file includes itself"
	for i in $(seq 40); do
		printf '@%s @%s' $((i + 1)) $((i + 1)) >"$i"
	done
	: >41
	run --separate-stderr timeout 20 "$SNAG" cc @1
	refused 2 "snag: cc: @*: more than 2000 response files"
	printf '@41 @41 -dumpversion' >1
	snag cc @1
}

# Two threads create one each, under a lock.  A witness of the race at y has them created in the
# other order, so that they get each other's numbers.  Their own events are no part of it.
created_in_turn() {
	cat >made.c <<-'C'
		#include <pthread.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static int y, sink, part[2];
		static void *leaf(void *p)
		{
			for (int i = 0; i < 100; i++)
				*(int *)p += i;
			return p;
		}
		static void make(int *p)
		{
			pthread_t t;
			pthread_mutex_lock(&m);
			pthread_create(&t, NULL, leaf, p);
			pthread_join(t, NULL);
			pthread_mutex_unlock(&m);
		}
		static void *first(void *a) { y = 1; make(&part[0]); return a; }
		static void *second(void *a) { make(&part[1]); sink = y; return a; }
		int main(void)
		{
			pthread_t t[2];
			pthread_create(&t[0], NULL, first, NULL);
			pthread_create(&t[1], NULL, second, NULL);
			pthread_join(t[0], NULL);
			pthread_join(t[1], NULL);
			return 0;
		}
	C
	SNAG_CC=$1 "$SNAG" cc -g -pthread -o made made.c
}

@test "a witness that creates threads in another order is followed" {
	local cc seed tried=0
	for cc in gcc clang; do
		created_in_turn $cc
		for seed in 1 2 3 4 5 6; do
			run "$SNAG" run --seed $seed --json r.json --witness w ./made
			[ "$status" = 66 ]
			[ "$(jq -r '.incidents[0].verdict' r.json)" = predicted ] || continue
			tried=$((tried + 1))
			[ "$(jq -r '.incidents[0].replay' r.json)" = confirmed ]
			run --separate-stderr "$SNAG" replay w/race-1.json ./made
			[ "$status" = 66 ]
		done
	done
	[ "$tried" -ge 2 ]
	# A file of an older version has numbers of threads only, and diverges here.
	jq -c 'del(.threads)' w/race-1.json >old.json
	run --separate-stderr "$SNAG" replay old.json ./made
	[ "$status" = 0 ]
	[[ $stderr == "snag: replay: diverged: "* ]]
	# Threads that are none.
	for bad in '[[1,0]]' '[["a",0,0]]' '[[-1,0,0]]' '[[4294967296,0,0]]'; do
		jq -c --argjson bad "$bad" '.threads = $bad' w/race-1.json >bad.json
		snags replay bad.json ./made
		refused 2 "snag: replay: bad.json: has no schedule to replay: expected*"
	done
}

@test "a schedule names threads by creator and index" {
	created_in_turn gcc
	"$SNAG" record --seed 3 -o a.snag --schedule turns ./made
	[ "$(grep -c '^+' turns)" = 4 ]
	grep -q '^+1 0 0$' turns
	"$SNAG" record --seed 6 -o b.snag --follow turns ./made
	[ "$("$SNAG" convert a.snag - 2>/dev/null | md5sum)" = "$("$SNAG" convert b.snag - 2>/dev/null | md5sum)" ]
	for bad in '+1 0' '+0 0 0' '+99999999 0 0' '+ 1 0 0' '+x'; do
		{ echo "$bad"; cat turns; } >bad
		run --separate-stderr "$SNAG" record -o c.snag --follow bad ./made
		[[ $stderr == *"schedule: expected lines 'thread events', '+thread creator index' or '@thread time'"* ]] || { echo "$bad: $stderr"; return 1; }
	done
}

# A program with a predicted race behind a loop, whose length is what the system answers.
asks() { # ANSWER
	cat >asks.c <<-C
		#include <pthread.h>
		#include <sys/time.h>
		#include <time.h>
		#include <unistd.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static int y, sink, n, count[1000];
		static unsigned long answer(void) { $1 }
		static void work(void)
		{
			for (unsigned long i = answer() % 500; i > 0; i--)
				count[i]++;
		}
		static void *first(void *a)
		{
			y = 1;
			pthread_mutex_lock(&m);
			n = 1;
			pthread_mutex_unlock(&m);
			return a;
		}
		static void *second(void *a)
		{
			pthread_mutex_lock(&m);
			work();
			pthread_mutex_unlock(&m);
			sink = y;
			return a;
		}
		int main(void)
		{
			pthread_t t[2];
			pthread_create(&t[0], NULL, first, NULL);
			pthread_create(&t[1], NULL, second, NULL);
			pthread_join(t[0], NULL);
			pthread_join(t[1], NULL);
			return 0;
		}
	C
	"$SNAG" cc -g -pthread -o asks asks.c
}

@test "a replay is told the same times" {
	local ask
	for ask in 'struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_nsec / 100;' \
		'struct timeval t; gettimeofday(&t, 0); return t.tv_usec;' \
		'struct timespec t; timespec_get(&t, TIME_UTC); return t.tv_nsec / 100;' \
		'return clock();' \
		'time_t end = time(0) + 0; unsigned long n = 0; while (time(0) <= end && n < 300) n++; return n;'; do
		asks "$ask"
		run "$SNAG" run --seed 3 --policy rr --json r.json --witness w ./asks
		[ "$(jq -r '.incidents[0] | "\(.verdict) \(.replay)"' r.json)" = "predicted confirmed" ] ||
			{ echo "$ask"; cat r.json; return 1; }
		run --separate-stderr "$SNAG" replay w/race-1.json ./asks
		[ "$status" = 66 ]
	done
	[ "$(jq '.answers | length' w/race-1.json)" -gt 0 ]
	jq -c '.answers = [[0]]' w/race-1.json >bad.json
	snags replay bad.json ./asks
	refused 2 "snag: replay: bad.json: has no schedule to replay: expected*"
}

@test "a replay reads the same standard input, if it is a file" {
	asks 'char c = 0; return read(0, &c, 1) == 1 ? c : 0;'
	echo "xz" >in
	run bash -c "$SNAG run --seed 3 --policy rr --json r.json ./asks <in"
	[ "$(jq -r '.incidents[0] | "\(.verdict) \(.replay)"' r.json)" = "predicted confirmed" ]
	# From where it was.
	run bash -c "{ read -n 1; $SNAG run --seed 3 --policy rr --json r.json ./asks; } <in"
	[ "$(jq -r '.incidents[0] | "\(.verdict) \(.replay)"' r.json)" = "predicted confirmed" ]
}

@test "a replay that diverges says why" {
	asks 'char c = 0; return read(0, &c, 1) == 1 ? c : 0;'
	run bash -c "echo z | $SNAG run --seed 3 --policy rr --json r.json ./asks"
	[ "$(jq -r '.incidents[0] | "\(.verdict) \(.replay)"' r.json)" = "predicted diverged" ]
	[[ $output == *"the program may differ from run to run: its standard input is no file"* ]]
	asks 'return getpid();'
	run "$SNAG" run --seed 3 --policy rr --json r.json ./asks
	[ "$(jq -r '.incidents[0] | "\(.verdict) \(.replay)"' r.json)" = "predicted diverged" ]
	[[ $(jq -r '.incidents[0].replay_note' r.json) == *"; the program may differ from run to run: it asks for its process id" ]]
}
