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
