#!/usr/bin/env bats
# What reports call things, and how many reports a cause gets.
load helper

# Builds prog from standard input.
build() { # ARGUMENTS OF CC
	cat >prog.c
	"$SNAG" cc -g -O1 -pthread "$@" -o prog prog.c
}

# Two threads run work().
two_threads() {
	cat <<-'END'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#ifndef THREADS
		#define THREADS 2
		#endif
	END
	cat
	cat <<-'END'
		int main(void)
		{
			pthread_t t[THREADS];
			begin();
			for (int i = 0; i < THREADS; i++)
				pthread_create(&t[i], NULL, work, NULL);
			for (int i = 0; i < THREADS; i++)
				pthread_join(t[i], NULL);
			return 0;
		}
	END
}

names() {
	jq -r '[.incidents[] | .called // .variable] | unique | join(" ")' r.json
}

@test "members of globals and of heap blocks have their names" {
	for cc in gcc clang; do
		two_threads <<-'END' | SNAG_CC=$cc build
			struct node { struct node *next; int v[4]; };
			struct { long hits; int misses; } S;
			struct node arr[5];
			struct pool { pthread_mutex_t lock; int exit; struct node *list; } *pool;
			static int grid[3][4];
			static void begin(void)
			{
				pool = malloc(sizeof(*pool));
				memset(pool, 0, sizeof(*pool));
				pthread_mutex_init(&pool->lock, NULL);
				pool->list = calloc(3, sizeof(struct node));
			}
			static void *work(void *arg)
			{
				struct pool *q = pool;
				static int calls;
				S.misses = 1;
				arr[3].next = NULL;
				*(volatile int *)&grid[1][2] = 7;
				calls++;
				pthread_mutex_lock(&q->lock);
				pthread_mutex_unlock(&q->lock);
				q->exit = 1;
				q->list[2].v[1] = 4;
				return calls + grid[2][3] ? arg : NULL;
			}
		END
		snags run --json r.json ./prog
		[ "$status" = 66 ]
		[ "$(names)" = "S.misses arr[3].next calls grid[1][2] q->exit q->list[2].v[1]" ]
		[[ $stderr == *"Write of size 4 at q->exit (heap#"* ]]
		[[ $stderr == *"Object: q->exit is 'exit' of struct pool"* ]]
		[[ $stderr == *"Location is global 'S'"* ]]
		jq -e '.incidents[] | select(.called == "q->exit") | .type == "struct pool" and
			.field == "exit" and .allocation.size > 40 and
			.allocation.stack[0].function == "begin"' r.json
	done
}

@test "names from debug information in another file, or compressed" {
	for flags in -gsplit-dwarf -gz -no-pie; do
		two_threads <<-'END' | build $flags
			struct { int one, two; } S;
			static void begin(void) {}
			static void *work(void *arg) { S.two = 1; return arg; }
		END
		snags run --json r.json ./prog
		[ "$status" = 66 ]
		[ "$(names)" = S.two ]
	done
}

@test "a member of this, and a block of new" {
	cat >prog.cc <<-'END'
		#include <thread>
		struct Pool { long n; int stop; void end() { stop = 1; } };
		int main()
		{
			Pool *p = new Pool();
			std::thread a([p] { p->end(); }), b([p] { p->end(); });
			a.join();
			b.join();
			delete p;
		}
	END
	"$SNAG" c++ -g -O1 -pthread -o prog prog.cc
	snags run --json r.json ./prog
	[ "$status" = 66 ]
	[ "$(jq -r '.incidents[0] | .called + " " + .type + " " + .field' r.json)" = "this->stop Pool stop" ]
}

@test "the line of new, and the pointer to virtual functions" {
	cat >virtual.cc <<-'END'
		#include <csetjmp>
		#include <new>
		#include <pthread.h>
		struct A {
			virtual ~A() { done(); }
			virtual void done() {}
		};
		struct B : A {
			~B() { done(); }
			void done() override {}
		};
		static jmp_buf before;
		static void jumps() { longjmp(before, 1); }
		static A *a;
		static void *calls(void *)
		{
			a->done();
			return 0;
		}
		int main()
		{
			pthread_t t;
			volatile size_t much = (size_t)1 << 62;
			try {
				a = (A *)new char[much];
				return 1;
			} catch (std::bad_alloc &) {
			}
			std::set_new_handler(jumps);
			if (!setjmp(before))
				a = (A *)new char[much];
			a = new B;
			pthread_create(&t, 0, calls, 0);
			delete a;
			pthread_join(t, 0);
		}
	END
	for SNAG_CC in gcc clang; do
		export SNAG_CC
		for static in "" -static-libstdc++; do
			snag c++ $static -std=c++11 -g -O1 -pthread virtual.cc -o virtual
			run --separate-stderr "$SNAG" run --no-effects --with hb ./virtual
			[ "$status" = 66 ]
			grep -q 'WARNING: snag: .*virtual call' <<<"$stderr"
			grep -A1 'heap block of size 8 allocated by main' <<<"$stderr" | grep -q 'main .*virtual.cc:32'
		done
	done
}

@test "a program that was built again gives no wrong names" {
	two_threads <<-'END' | build
		struct { int one, two; } S;
		static void begin(void) {}
		static void *work(void *arg) { S.two = 1; return arg; }
	END
	snag run --keep run.snag --json r.json ./prog || [ $? = 66 ]
	[ "$(names)" = S.two ]
	two_threads <<-'END' | build
		struct { char other[4]; int more; } S;
		static void begin(void) {}
		/* one line further down */
		static void *work(void *arg) { S.more = 1; return arg; }
	END
	snags analyze --html page.html run.snag
	[ "$status" = 66 ]
	grep -q '"variable":"S+0x4"' page.html
	refute grep -q '"variable":"S\.more"' page.html
}

@test "threads, locks and how they are held" {
	two_threads <<-'END' | build
		pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
		struct queue { long n; pthread_mutex_t lock; } *queue[2];
		int shared, started;
		static void begin(void)
		{
			for (int i = 0; i < 2; i++) {
				struct queue *q = malloc(sizeof(struct queue));
				pthread_mutex_init(&q->lock, NULL);
				queue[i] = q;
			}
		}
		static void *work(void *arg)
		{
			int me = __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
			pthread_setname_np(pthread_self(), "a-worker-of-two");
			pthread_rwlock_rdlock(&rw);
			pthread_mutex_lock(&queue[me]->lock);
			shared = me;
			pthread_mutex_unlock(&queue[me]->lock);
			pthread_rwlock_unlock(&rw);
			return arg;
		}
	END
	snags run --json r.json ./prog
	[ "$status" = 66 ]
	[[ $stderr == *"at shared by thread T2 'a-worker-of-two' (mutexes: read rw, write q->lock):"* ]]
	[[ $stderr == *"Thread T1 'a-worker-of-two' created by main thread at:"* ]]
	jq -e '.incidents[0].accesses[0] | .thread_name == "a-worker-of-two" and
		.locks == ["rw", "q->lock"] and .lock_modes == ["read", "write"]' r.json
	# the same if threads run in parallel
	snags run --free --json r.json ./prog
	jq -e 'all(.incidents[].accesses[]; .thread_name == "a-worker-of-two")' r.json
}

@test "one cause gives one report" {
	for cc in gcc clang; do
		two_threads <<-'END' | SNAG_CC=$cc build
			struct { int hits, misses; } S;
			static void begin(void) {}
			static void *work(void *arg)
			{
				S.hits++, S.misses++;
				return arg;
			}
		END
		snags run --json r.json ./prog
		[ "$status" = 66 ]
		# reads with writes, and writes with writes, of both members
		jq -e '(.analyses[] | select(.name == "hb") | .races | length) > 1' r.json
		[ "$(jq '.incidents | length' r.json)" = 1 ]
		[[ $stderr == *"  Also: "*"prog.c:13:"* ]]
		[[ $stderr == *"snag: reported 1 warning: 1 observed"* ]]
	done
}

@test "an object has three reports, and the first lists the other places" {
	two_threads <<-'END' | build -O0 -DTHREADS=5
		int x, started;
		static void begin(void) {}
		static void *work(void *arg)
		{
			switch (__atomic_fetch_add(&started, 1, __ATOMIC_RELAXED)) {
			case 0:
				x = 10;
				break;
			case 1:
				x = 11;
				break;
			case 2:
				x = 12;
				break;
			case 3:
				x = 13;
				break;
			default:
				x = 14;
			}
			return arg;
		}
	END
	snags run --json r.json ./prog
	[ "$status" = 66 ]
	[ "$(jq '.incidents | length' r.json)" = 3 ]
	# 5 lines make 10 pairs
	[ "$(jq '[.incidents[], .incidents[0].more[]] | length' r.json)" = 10 ]
	[[ $stderr == *"  Also: 3 more pairs of places on this object; --json FILE lists them"* ]]
	# a baseline knows those, too
	snags run --baseline r.json ./prog
	[ "$status" = 0 ]
	[[ $stderr == *"reported 0 warnings"* ]]
	snags diff r.json r.json
	[[ $output != *"+ R-"* ]]
}

@test "ids survive moved lines, -O levels and compilers" {
	source=$(two_threads <<-'END'
		struct { int a, b; } S;
		static void begin(void) {}
		static void *work(void *arg)
		{
			static int calls;
			calls++;
			S.b++;
			return arg;
		}
	END
	)
	for how in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2" "gcc -O1 moved" "clang -O1 moved"; do
		read -r cc level moved <<<"$how"
		{ [ -z "$moved" ] || printf '/* a\n comment */\n'; echo "$source"; } >prog.c
		SNAG_CC=$cc "$SNAG" cc -g "$level" -pthread -o prog prog.c
		snags run --json r.json ./prog
		[ "$status" = 66 ]
		jq -r '[.incidents[].id] | sort | join(" ")' r.json >>ids
	done
	[ "$(wc -l <ids)" = 6 ]
	[ "$(sort -u ids | wc -l)" = 1 ] || { cat ids; false; }
}

@test "different lambdas have different ids" {
	cat >prog.cc <<-'END'
		#include <thread>
		int x, y;
		int main()
		{
			std::thread a([] { x++; }), b([] { x++; }), c([] { y++; }), d([] { y++; });
			a.join();
			b.join();
			c.join();
			d.join();
		}
	END
	"$SNAG" c++ -g -pthread -o prog prog.cc
	snags run --json r.json ./prog
	[ "$(jq '[.incidents[].id] | unique | length' r.json)" = "$(jq '.incidents | length' r.json)" ]
	jq -e '[.incidents[].variable] | unique == ["x", "y"]' r.json
}

@test "the text shows the line, the seed, colours if wanted, and as many reports as wanted" {
	two_threads <<-'END' | build
		int x, y, z;
		static void begin(void) {}
		static void *work(void *arg)
		{
			x = 1;
			y = 1;
			z = 1;
			return arg;
		}
	END
	snags run --seed 7 --json r.json ./prog
	[ "$status" = 66 ]
	[[ $stderr == *"       13 | x = 1;"$'\n'"          |   ^"$'\n'* ]]
	[[ $stderr == *"  Seed: 7"* ]]
	[[ $stderr != *$'\033'* ]]
	[ "$(jq .seed r.json)" = 7 ]
	snags run --color always ./prog
	[[ $stderr == *$'\033[1;31mWARNING: snag: data race '* ]]
	snags run --limit 1 --json r.json ./prog
	[ "$status" = 66 ]
	[ "$(grep -c ^WARNING: <<<"$stderr")" = 1 ]
	[[ $stderr == *"snag: 2 more reports are not shown; --limit 0 shows all"* ]]
	[[ $stderr == *"snag: reported 3 warnings"* ]]
	[ "$(jq '.incidents | length' r.json)" = 3 ]
	run script -qec "TERM=xterm NO_COLOR= $SNAG run ./prog" /dev/null
	[[ $output == *$'\033[1;31mWARNING: '* ]]
	run script -qec "TERM=xterm NO_COLOR=1 $SNAG run ./prog" /dev/null
	[[ $output != *$'\033'* ]]
}

@test "names: the stack of a thread that main creates through the C++ library ends with main" {
	cat >thread.cc <<-'END'
		#include <thread>
		static int shared;
		int main()
		{
			std::thread one([] { shared++; }), two([] { shared++; });
			one.join();
			two.join();
		}
	END
	for level in -O0 -O1; do
		SNAG_CC=gcc "$SNAG" c++ -g $level -o prog thread.cc
		snags run --no-replay --json r.json ./prog
		[ "$status" = 66 ]
		grep -A3 'Thread T2 .*created by main thread at:' <<<"$stderr" | grep -q '    #[0-9] main '
		refute grep -q '/src/runtime/\|snag_calls' <<<"$stderr"
	done
}
