#!/usr/bin/env bats
# Programs compiled with -fsnag-branches, whose traces say which reads decide a branch: what wdp finds
# in them, with gcc and clang.
load helper

# Prints the verdict of wdp for a run of prog.c: "races complete".
wdp() { # COMPILER LEVEL SEED
	SNAG_CC=$1 "$SNAG" cc "$2" -g -fsnag-branches -pthread -o prog prog.c
	"$SNAG" record --seed "$3" -o run.snag ./prog >/dev/null
	"$SNAG" analyze --with wdp --json - run.snag | jq -r '.analyses[0] | "\(.races | length) \(.complete)"'
}

# Whether wdp says so whatever the compiler and its level.
always() { # EXPECTED [SEEDS]
	local cc level seed found
	for cc in gcc clang; do
		for level in -O0 -O2; do
			for seed in ${2:-1 2}; do
				found=$(wdp $cc $level "$seed")
				[ "$found" = "$1" ] || { echo "$cc $level, seed $seed: $found"; return 1; }
			done
		done
	done
}

# A program of two threads: what they share, and what each of them does.
program() { # SHARED FIRST SECOND
	cat >prog.c <<-EOF
		#include <pthread.h>
		#include <stdatomic.h>
		#include <stdlib.h>
		#include <string.h>
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		#define lock pthread_mutex_lock(&m)
		#define unlock pthread_mutex_unlock(&m)
		$1
		void *first(void *arg) { $2 return arg; }
		void *second(void *arg) { $3 return arg; }
		int main(void)
		{
			pthread_t t[2];
			pthread_create(&t[0], NULL, first, NULL);
			pthread_create(&t[1], NULL, second, NULL);
			pthread_join(t[0], NULL);
			pthread_join(t[1], NULL);
		}
	EOF
}

@test "a counter under a lock orders nothing" {
	program 'int n, y, sink;' 'y = 1; lock; n++; unlock;' 'lock; n++; unlock; sink = y;'
	always "1 true"
}

@test "an atomic counter orders nothing" {
	program 'atomic_int n; int y, sink;' 'y = 1; n++;' 'n++; sink = y;'
	always "1 true"
}

@test "a counter that decides a branch orders" {
	program 'int n, y, sink;' 'y = 1; lock; n++; unlock;' \
		'lock; int is_second = n++; unlock; if (is_second) sink = y;'
	always "0 true"
	program 'atomic_int n; int y, sink;' 'y = 1; n++;' 'if (n++) sink = y;'
	always "0 true"
}

@test "a barrier orders, whatever branches depend on" {
	program 'pthread_barrier_t b; int y, sink;
		__attribute__((constructor)) void init(void) { pthread_barrier_init(&b, NULL, 2); }' \
		'y = 1; pthread_barrier_wait(&b);' 'pthread_barrier_wait(&b); sink = y;'
	always "0 true"
}

@test "figure 1(a) of the paper on WDP" {
	cat >prog.c <<-'EOF'
		#include <pthread.h>
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		int x, y, z, sink;
		void *one(void *arg)
		{
			pthread_mutex_lock(&m);
			int t = z;
			y = t + 1;
			pthread_mutex_unlock(&m);
			return arg;
		}
		void *two(void *arg)
		{
			pthread_mutex_lock(&m);
			z = 1;
			x = 1;
			pthread_mutex_unlock(&m);
			return arg;
		}
		void *three(void *arg)
		{
			pthread_mutex_lock(&m);
			int t = x;
			if (t == 0) {
				pthread_mutex_unlock(&m);
				return arg;
			}
			pthread_mutex_unlock(&m);
			sink = y;
			return arg;
		}
		int main(void)
		{
			void *(*run[])(void *) = {one, two, three};
			pthread_t t[3];
			for (int i = 0; i < 3; i++)
				pthread_create(&t[i], NULL, run[i], NULL);
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], NULL);
		}
	EOF
	SNAG_OPTIONS=policy=rr always "1 true" 1 # the threads one after another
}

@test "an address that depends on a read is a branch" {
	program 'int slot[2], idx, sink;' 'slot[1] = 7; lock; idx = 1; unlock;' \
		'lock; int i = idx; unlock; sink = slot[i];'
	always "0 true" 1
	# A pointer, that it points to, and what is called.
	program 'int x, sink, *p = &sink;' 'x = 7; lock; p = &x; unlock;' 'lock; int *q = p; unlock; sink = *q;'
	always "0 true" 1
	program 'int x, sink; void idle(void) {} void use(void) { sink = x; } void (*f)(void) = idle;' \
		'x = 7; lock; f = use; unlock;' 'lock; void (*g)(void) = f; unlock; g();'
	always "0 true" 1
	# A length, and the bound of a loop.
	program 'char from[64], to[64]; volatile int n;' 'memset(from, 1, 64); lock; n = 64; unlock;' \
		'lock; int k = n; unlock; memcpy(to, from, k);'
	always "0 true" 1
	program 'int a[8], sink, n;' 'a[1] = 1; lock; n = 2; unlock;' \
		'lock; int k = n; unlock; for (int i = 0; i < k; i++) sink += a[i];'
	always "0 true" 1
	# In a function that is called.
	program 'int slot[2], idx, sink; __attribute__((noinline)) void use(int i) { sink = slot[i]; }' \
		'slot[1] = 7; lock; idx = 1; unlock;' 'lock; int i = idx; unlock; use(i);'
	always "0 true" 1
}

@test "figure 7(b) of the paper on WDP: a thread names from its beginning" {
	program 'int x, y, k, out, sink;' 'y = 1; lock; x = 1; unlock;' \
		'lock; out = x; if (k) sink = 1; unlock; sink = y;'
	for level in -O0 -O2; do
		[ "$(wdp clang $level 1)" = "1 true" ]
	done
	# Figure 7(a): the branch depends on the read.
	program 'int x, y, k, out, sink;' 'y = 1; lock; x = 1; unlock;' \
		'lock; out = x; if (x) sink = 1; unlock; sink = y;'
	always "0 true" 1
}

@test "a witness that changes reads and diverges is unconfirmed" {
	program 'int x, y, sink; void consume(void);' 'y = 1; lock; x = 1; unlock;' 'consume();'
	# Its branch is not told, so the witness takes it for granted.
	cat >other.c <<-'EOF'
		#include <pthread.h>
		extern pthread_mutex_t m;
		extern int x, y, sink;
		void consume(void)
		{
			pthread_mutex_lock(&m);
			int t = x;
			pthread_mutex_unlock(&m);
			if (t)
				sink = y;
		}
	EOF
	SNAG_CC=clang "$SNAG" cc -g -c other.c
	SNAG_CC=clang "$SNAG" cc -g -fsnag-branches -pthread -o prog prog.c other.o
	snags run --with wdp --json run.json --junit run.xml ./prog
	[ "$status" = 0 ]
	grep -qF '<skipped message="unconfirmed"/>' run.xml
	[[ $stderr == *"snag: unconfirmed: "*"prog.c:"*" / "*"other.c:10"*"--unconfirmed reports it"* ]]
	[ "$(jq -c '[(.incidents | length), (.unconfirmed[] | .verdict, .replay)]' run.json)" = '[0,"unconfirmed","diverged"]' ]
	snags run --with wdp --unconfirmed --json run.json ./prog
	[ "$status" = 66 ]
	[ "$(jq -c '[.unconfirmed, (.incidents[] | .verdict)]' run.json)" = '[null,"unconfirmed"]' ]
	# What the program does follow is as before.
	program 'int n, y, sink;' 'y = 1; lock; n++; unlock;' 'lock; n++; unlock; sink = y;'
	SNAG_CC=clang "$SNAG" cc -g -fsnag-branches -pthread -o prog prog.c
	snags run --with wdp --json run.json ./prog
	[ "$status" = 66 ]
	[ "$(jq -c '[.incidents[] | .verdict, .replay]' run.json)" = '["predicted","confirmed"]' ]
}

@test "a witness may have another thread take a lock between a look at it and the acquire" {
	program 'int x, a, *p;' 'lock; x = 0; p = &a; unlock;' 'lock; a = 2; x = 2; unlock; x = 1;'
	local cc level seed
	for cc in gcc clang; do
		for level in -O0 -O2; do # with -O2 a branch may come before the look, in the same step
			SNAG_CC=$cc "$SNAG" cc $level -g -fsnag-branches -pthread -o prog prog.c
			for seed in 1 2 4; do
				snags run --with wdp --seed $seed --replay-seconds 20 --json run.json ./prog
				[ "$status" = 66 ]
				[ "$(jq -c '[.incidents[] | .variable, .replay]' run.json)" = '["x","confirmed"]' ]
			done
		done
	done
}

# What `snag run` does about a pair that only a lock keeps apart: incidents, suspects tried.
suspects() { # EXPECTED
	local cc option
	for cc in gcc clang; do
		for option in -O1 -fsnag-branches; do
			SNAG_CC=$cc "$SNAG" cc -g "$option" -pthread -o prog prog.c
			snags run --replay-seconds 20 --json run.json ./prog
			[ "$(jq -c '[(.incidents[] | .variable, .verdict), .replays.suspects.tried]' run.json)" = "$1" ] || return 1
		done
	done
}

@test "suspects: a handed over buffer is none, a variable behind a counter is, whatever branches" {
	program 'int *box, sink;' 'int *b = malloc(64); *b = 7; lock; box = b; unlock;' \
		'lock; int *b = box; unlock; if (b) sink = *b;'
	suspects '[0]'
	program 'int n, y, sink;' 'y = 1; lock; n++; unlock;' 'lock; n++; unlock; sink = y;'
	suspects '["y","confirmed",1]'
	# wdp refutes this one: the branch would have to be as it was.
	program 'int n, y, sink;' 'y = 1; lock; n++; unlock;' 'lock; int k = n++; unlock; if (k < 5) sink = y;'
	suspects '["y","confirmed",1]'
	snags run --with wdp --json run.json ./prog
	[ "$status" = 0 ]
	[ "$(jq -c '[.incidents, .analyses[0].complete]' run.json)" = '[[],true]' ]
}

@test "suspects that dependence refutes are tried after the others" {
	# Which accesses a run comes to: y, and then z.
	cat >prog.c <<-'EOF'
		#include <fcntl.h>
		#include <pthread.h>
		#include <unistd.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		int log_fd, n, y, z, sink, another;
		static int count(void)
		{
			pthread_mutex_lock(&m);
			int before = n++;
			pthread_mutex_unlock(&m);
			return before;
		}
		static void *first(void *arg)
		{
			y = 1;
			z = 1;
			count();
			return arg;
		}
		static void *second(void *arg)
		{
			if (count() < 5 && write(log_fd, "y", 1) == 1)
				sink = y;
			return arg;
		}
		static void *third(void *arg)
		{
			(void)!write(log_fd, "z", 1);
			count();
			another = z;
			return arg;
		}
		int main(void)
		{
			void *(*run[])(void *) = {first, second, third};
			pthread_t t[3];
			log_fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
			for (int i = 0; i < 3; i++)
				pthread_create(&t[i], NULL, run[i], NULL);
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], NULL);
			return 0;
		}
	EOF
	local cc branches replays
	for cc in gcc clang; do
		for branches in '' -fsnag-branches; do
			# Without branches as in the run, so y first: its replay ends there.
			expected='[2,null,["y","z"]] yzyyz'
			[ -z "$branches" ] || expected='[2,1,["y","z"]] yzyzy'
			SNAG_CC=$cc "$SNAG" cc -g -O1 $branches -pthread -o prog prog.c
			rm -f log
			snags run --policy rr --no-effects --replay-seconds 60 --json run.json ./prog
			[ "$status" = 66 ]
			[ "$(jq -c '[.replays.suspects.tried, .replays.suspects.refuted, ([.incidents[].variable] | sort)]' run.json) $(cat log)" = "$expected" ]
		done
	done
}

@test "branches that matter to no suspect are left out, and the same suspects refuted" {
	program 'int n, y, z, sink; atomic_int seats;' \
		'y = 1;
		z = 1; lock; n++; unlock; seats++;' 'lock; int k = n++; unlock;
		char own[256]; volatile char *p = own; memset(own, 1, sizeof(own));
		for (int i = 0; i < 100000; i++) if (p[i % 256]) p[i % 256] = (char)i;
		if (k < 5) sink = y;
		if (seats++ < 5) sink += z;'
	local cc seen whole
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -g -O1 -fsnag-branches -pthread -o prog prog.c
		snags run --policy rr --no-effects --replay-seconds 60 --json seen.json ./prog
		snags run --policy rr --no-effects --replay-seconds 60 --keep run.snag --json whole.json ./prog
		seen=$(jq -c '[.replays.suspects, ([.incidents[].variable] | sort)]' seen.json)
		whole=$(jq -c '[.replays.suspects, ([.incidents[].variable] | sort)]' whole.json)
		[ "$seen" = "$whole" ] || { echo "$cc: $seen, $whole"; return 1; }
		jq -e '.trace.events < 200 and .replays.suspects.refuted == 2' seen.json
		jq -e '.trace.events > 1000' whole.json
	done
}
