#!/usr/bin/env bats
# Uses of freed memory, and blocks freed twice, that another order of the run would show.
load helper

source_of() { # the second thread frees; the first does this
	cat <<-END
		#include <pthread.h>
		#include <stdlib.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static int *p, x, y;
		int plain;
		static void *one(void *arg)
		{
			plain = 1;
			$1
			pthread_mutex_lock(&m);
			x++;
			pthread_mutex_unlock(&m);
			return arg;
		}
		static void *two(void *arg)
		{
			pthread_mutex_lock(&m);
			y++;
			pthread_mutex_unlock(&m);
			plain = 2;
			free(p);
			return arg;
		}
		int main(void)
		{
			pthread_t t[2];
			p = calloc(64, sizeof(*p));
			pthread_create(&t[0], 0, one, 0);
			pthread_create(&t[1], 0, two, 0);
			pthread_join(t[0], 0);
			pthread_join(t[1], 0);
			return plain == 3;
		}
	END
}

@test "an access before the free, which could come after it: predicted, confirmed, first" {
	for at in 1 50; do # the first word of the block, and another
		source_of "p[$at] = 1;" >uses.c
		for cc in gcc clang; do
			SNAG_CC=$cc snag cc -g -O1 -pthread uses.c -o uses
			for seed in 1 2 3; do
				snags run --seed $seed --json r.json ./uses
				[ "$status" = 66 ]
				[ "$(jq -r '.incidents[0] | .kind, .replay' r.json | xargs)" = "use-after-free confirmed" ]
				[ "$(jq -r '[.incidents[].kind] | index("race") > 0' r.json)" = true ]
				[[ $(grep -m1 WARNING <<<"$stderr") == "WARNING: snag: heap-use-after-free (pid="* ]]
			done
		done
	done
	grep -q '^  In this run the access came first; in another one the free can.' <<<"$stderr"
	# ThreadSanitizer's title for it; the kind is the same
	snags run --format tsan --json r.json ./uses
	[[ $(grep -m1 WARNING <<<"$stderr") == "WARNING: ThreadSanitizer: data race (pid="* ]]
	[ "$(jq -r '.incidents[0].kind' r.json)" = use-after-free ]
}

@test "two frees" {
	source_of 'if (arg) free(p);' | sed 's/one, 0)/one, \&m)/' >twice.c
	snag cc -g -O1 -pthread twice.c -o twice
	snags run --json r.json ./twice
	[ "$status" = 66 ]
	[ "$(jq -r '.incidents[0].kind' r.json)" = double-free ]
	snags explore -o s.json --json r.json ./twice
	[ "$status" = 66 ]
	[ "$(jq -r '.explore.failure' r.json)" = double-free ]
	snags replay s.json ./twice
	[ "$status" = 66 ]
}

@test "a lock that keeps them apart, and a join: silent" {
	source_of 'pthread_mutex_lock(&m); if (p) p[1] = 1; pthread_mutex_unlock(&m);' |
		sed 's/^plain = .;//; s/^free(p);/pthread_mutex_lock(\&m); free(p); p = 0; pthread_mutex_unlock(\&m);/' >apart.c
	snag cc -g -O1 -pthread apart.c -o apart
	snags explore --exhaustive ./apart
	[ "$status" = 0 ]
	grep -q ': all [0-9]* classes of equivalent runs' <<<"$stderr"
}

@test "two frees that happen in one run: one report" {
	cat >both.c <<-END
		#include <pthread.h>
		#include <stdlib.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static char *p;
		static int is_freed;
		static void *release(void *arg)
		{
			pthread_mutex_lock(&m);
			int was = is_freed;
			pthread_mutex_unlock(&m);
			if (was)
				return arg;
			free(p);
			pthread_mutex_lock(&m);
			is_freed = 1;
			pthread_mutex_unlock(&m);
			return arg;
		}
		int main(void)
		{
			pthread_t t[2];
			p = malloc(10);
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], 0, release, 0);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	snag cc -g -O1 -pthread both.c -o both
	snags explore ./both
	[ "$status" = 66 ]
	[ "$(grep -c '^WARNING: snag: double free' <<<"$stderr")" = 1 ]
	grep -q '^snag: reported 1 warning: 1 observed' <<<"$stderr"
}

# A program whose first thread does $1 and whose second one does $2; $3: what main does before.
hidden() {
	cat <<-END
		#include <pthread.h>
		#include <stdatomic.h>
		#include <stdlib.h>
		struct object {
			int first, second;
			atomic_int users;
		};
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
		static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
		static struct object *p, *q;
		static int done, seen;
		static void *one(void *arg)
		{
			$1
			return arg;
		}
		static void *two(void *arg)
		{
			$2
			return arg;
		}
		int main(void)
		{
			pthread_t t[2];
			p = calloc(1, sizeof(*p));
			p->first = 1;
			atomic_init(&p->users, 2);
			$3
			pthread_create(&t[0], 0, one, 0);
			pthread_create(&t[1], 0, two, 0);
			pthread_join(t[0], 0);
			pthread_join(t[1], 0);
			return seen + done == 77 || q == (struct object *)&m;
		}
	END
}
lock='pthread_mutex_lock(&m);' unlock='pthread_mutex_unlock(&m);'

# Reported at every seed, and nothing else: observed, or predicted with one report and replayed.
always_found() { # PROGRAM
	local seed predicted=0
	for seed in 1 2 3 4 5 6; do
		snags run --seed $seed --json r.json "$1"
		[ "$status" = 66 ]
		[ "$(jq -r '[.incidents[] | .kind == "use-after-free" and
			(.verdict == "observed" or .verdict == "predicted" and .replay == "confirmed" and .is_race == false)] | all' r.json)" = true ] ||
			{ echo "$1 $seed: $stderr"; return 1; }
		if [ "$(jq -r '.incidents[0].verdict' r.json)" = predicted ]; then
			[ "$(jq '.incidents | length' r.json)" = 1 ]
			predicted=$((predicted + 1))
		fi
	done
	[ "$predicted" -gt 0 ]
}

@test "a free that only the order of a lock puts behind the access: predicted, replayed" {
	hidden "$lock p->first = 2; p->second = 3; $unlock" "$lock free(p); $unlock" >lock.c
	hidden "$lock seen = p->first; $unlock" "$lock q = realloc(p, 4000); $unlock" >realloc.c
	hidden "pthread_rwlock_rdlock(&rw); seen = p->first; pthread_rwlock_unlock(&rw);" \
		"pthread_rwlock_wrlock(&rw); free(p); pthread_rwlock_unlock(&rw);" >readers.c
	for name in lock realloc readers; do
		for cc in gcc clang; do
			for level in -O0 -O2; do
				SNAG_CC=$cc snag cc $level -g -w -pthread $name.c -o $name
				always_found ./$name
			done
		done
	done
	cat >delete.cc <<-END
		#include <mutex>
		#include <thread>
		struct shape { virtual int sides() = 0; virtual ~shape() {} };
		struct square : shape { int n = 4; int sides() override { return n; } };
		int main()
		{
			std::mutex m;
			shape *s = new square;
			int n = 0;
			std::thread one([&] { std::lock_guard<std::mutex> hold(m); n = s->sides(); });
			std::thread two([&] { std::lock_guard<std::mutex> hold(m); delete s; });
			one.join();
			two.join();
			return n == 5;
		}
	END
	for cc in g++ clang++; do
		SNAG_CC=$cc snag c++ -O1 -g -pthread delete.cc -o delete
		snags run --json r.json ./delete
		[ "$status" = 66 ]
		[ "$(jq -r '[.incidents[].kind] | unique | join(" ")' r.json)" = use-after-free ]
	done
}

@test "another order of the lock, and no use of freed memory: silent" {
	hidden "$lock if (p) p->first = 2; $unlock" "$lock free(p); p = 0; $unlock" >cleared.c
	hidden "$lock p->first = 2; done = 1; pthread_cond_signal(&c); $unlock" \
		"$lock while (!done) pthread_cond_wait(&c, &m); $unlock free(p);" >handshake.c
	hidden "p->first = 2; if (atomic_fetch_sub(&p->users, 1) == 1) free(p);" \
		"seen = p->second; if (atomic_fetch_sub(&p->users, 1) == 1) free(p);" >users.c
	hidden "$lock p->first = 2; $unlock" "$lock q = p; p = calloc(1, sizeof(*p)); q->second = 1; $unlock" >replaced.c
	hidden "$lock seen = p ? p->first : 0; $unlock" "$lock struct object *old = p; p = 0; $unlock free(old);" >taken.c
	for name in cleared handshake users replaced taken; do
		for cc in gcc clang; do
			SNAG_CC=$cc snag cc -O1 -g -w -pthread $name.c -o $name
			for seed in 1 2 3; do
				snags run --seed $seed ./$name
				[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$name $cc $seed: $stderr"; return 1; }
			done
		done
	done
}

@test "a hidden use of freed memory in all forms, first in the list" {
	hidden "$lock p->first = 2; $unlock seen = 1;" "$lock free(p); $unlock seen = 2;" >lock.c
	snag cc -O1 -g -w -pthread lock.c -o lock
	seed=1
	until snags run --seed $seed --witness w --keep t.snag --json j --sarif s --html h --junit u ./lock &&
		[ "$(jq -r '.incidents[0].verdict' j)" = predicted ]; do
		seed=$((seed + 1))
		[ $seed -lt 40 ]
	done
	[ "$(jq -c '[.incidents[].kind]' j)" = '["use-after-free","race"]' ]
	[ "$(jq -r '.incidents[0].severity' j)" = "freed memory" ]
	[[ $(grep -m1 WARNING <<<"$stderr") == "WARNING: snag: heap-use-after-free (pid="*"[freed memory]" ]]
	[[ $stderr == *"  Free of "*"#0 two "*"  Previous write of size 4 at "*"#0 one "* ]]
	[[ $stderr == *"  Predicted: another schedule of the same execution frees the memory before the access (freed)."* ]]
	[[ $stderr == *"  Replay: confirmed, the memory was freed, and then accessed"* ]]
	[ "$(jq -r '.runs[0] | .results[0].ruleId, .tool.driver.rules[.results[0].ruleIndex].id' s | xargs)" = "use-after-free.use-after-free use-after-free.use-after-free" ]
	[[ $(jq -r '.runs[0].results[0].message.text' s) == "Use after free (predicted): free of "* ]]
	grep -q '"kind":"use-after-free"' h
	grep -q 'type="predicted heap-use-after-free"' u
	witness=w/race-$(jq -r '.incidents[0].witness' j).json
	snags check t.snag $witness
	[ "$status" = 0 ]
	[[ $output == "valid: "*" events with T2 w("*", then T1 w("* ]]
	for damage in '.freed |= reverse' '.freed = .freed[:1]' '.freed = []' '.freed += [1]' '.witness |= .[:-1]' '.freed[0] = 1' \
		'.freed[0] = 99999' '.deadlock = [1,2]'; do
		jq "$damage" $witness >damaged
		snags check t.snag damaged
		[ "$status" = 2 ] || { echo "$damage"; return 1; }
	done
	snags analyze --with m2,freed --json a t.snag
	[ "$status" = 66 ]
	[[ $output == *"USE AFTER FREE predicted "*"The second access frees the memory, and can come first."* ]]
	[[ $output == *" and 1 use-after-free found in t.snag: "* ]]
	[ "$(jq -c '.analyses[1] | [.name, .complete, .racy_events, .races[0].kind]' a)" = '["freed",true,[],"use-after-free"]' ]
	snags replay $witness ./lock
	[ "$status" = 66 ]
	[ "$(grep -c '^snag: replay: confirmed: the memory was freed, and then accessed' <<<"$stderr")" = 1 ]
	for option in --gdb "--order both" "--output o.snag"; do
		snags replay $option $witness ./lock
		[ "$status" = 2 ]
	done
	snags verify-fix $witness ./lock
	[ "$status" = 66 ]
	# a mended program does not follow the witness
	hidden "$lock if (p) p->first = 2; $unlock seen = 1;" "$lock free(p); p = 0; $unlock seen = 2;" >lock.c
	snag cc -O1 -g -w -pthread lock.c -o lock
	snags replay $witness ./lock
	[ "$status" = 0 ]
	# a baseline and a suppression know it
	hidden "$lock p->first = 2; $unlock" "$lock free(p); $unlock" >lock.c
	snag cc -O1 -g -w -pthread lock.c -o lock
	snags run --seed $seed --json j ./lock
	[ "$status" = 66 ]
	snags run --seed $seed --baseline j ./lock
	[ "$status" = 0 ]
	echo 'race:two' >supp
	snags run --seed $seed --suppressions supp ./lock
	[ "$status" = 0 ]
}

@test "text traces do not say what a free is" {
	printf '%s\n' 'T1|acq(m)|1' 'T1|w(x)|2' 'T1|rel(m)|3' 'T2|acq(m)|4' 'T2|w(x)|5' 'T2|rel(m)|6' >t.std
	snags analyze --with freed t.std
	[ "$status" = 0 ]
}

# Only the blocks of which something is needed become part of the trace of a run (scout.h [block]).
@test "a block that races has the same number and size with --keep; blocks at one address do not race" {
	cat >blocks.c <<-END
		#include <pthread.h>
		#include <stdlib.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static char *shared;
		static void work(int n)
		{
			for (int i = 0; i < n; i++) { /* the next block often has the address of this one */
				volatile char *p = malloc(17 + 8 * (i % 9));
				p[0] = p[16] = (char)i;
				free((void *)p);
			}
		}
		static void *worker(void *arg)
		{
			work(200);
			pthread_mutex_lock(&m);
			if (!shared)
				shared = malloc(40);
			pthread_mutex_unlock(&m);
			shared[5] = 1;
			work(100);
			return arg;
		}
		int main(void)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++)
				pthread_create(&t[i], NULL, worker, NULL);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], NULL);
			free(shared);
			return 0;
		}
	END
	snag cc -g -O1 -pthread blocks.c -o blocks
	for seed in 1 2 3; do
		for keep in "" "--keep k.snag"; do
			snags run --no-replay --no-effects --seed $seed $keep --json r.json ./blocks
			[ "$status" = 66 ]
			sed 's/(pid=[0-9]*)//' <<<"$stderr" >"report${keep:+-kept}"
			grep -o 'heap#[0-9]*' r.json >>"report${keep:+-kept}"
		done
		diff report report-kept
		grep -q 'heap block of size 40 ' report
		grep -q '^heap#[1-9][0-9][0-9]' report
		grep -q 'reported 1 warning' report
	done
}
