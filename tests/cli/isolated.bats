#!/usr/bin/env bats
# Isolated blocks and critical sections: what races in the order observed, and in the others.
load helper

# main: what main does beside the task, in a finish
program() { # NAME TASK MAIN
	cat >"$1.c" <<-END
		#include <pthread.h>
		#include <snag/task.h>
		int a, x, y, data, flag, got, f;
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
		static void task(void *arg) { (void)arg; $2 }
		static void first(void *arg) { (void)arg; snag_finish { snag_async(task, 0); $3 } }
		int main(void) { return snag_launch(first, 0); }
	END
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -O1 -g -fsnag-task -o "$1-$cc" "$1.c"
	done
}

race_free() { # PROGRAM
	run --separate-stderr "$SNAG" run --replay-seconds 30 "./$1"
	[ "$status" = 0 ]
	[[ $stderr == "snag: race-free for this input on every schedule"* ]]
	run --separate-stderr "$SNAG" run --replay-seconds 30 --json r.json "./$1"
	[ "$status" = 0 ]
	[ "$(jq -r '.certificate.verdict, (.incidents | length)' r.json | xargs)" = "race-free 0" ]
	run --separate-stderr "$SNAG" explore --json r.json "./$1"
	[ "$status" = 0 ]
	[ "$(jq -r '.explore | .verdict, .exhaustive' r.json | xargs)" = "race-free true" ]
}

@test "blocks that order what follows them in every order" {
	local cc with
	program zipper 'snag_isolated { if (!a) x = 1; }' 'snag_isolated { a = 1; } y = x;'
	program flag 'data = 42; snag_isolated { flag = 1; }' 'snag_isolated { f = flag; } if (f) got = data;'
	for cc in gcc clang; do
		race_free zipper-$cc
		race_free flag-$cc
		for with in cg zipper isograph sections cg,zipper,isograph; do
			run --separate-stderr "$SNAG" explore --with $with "./zipper-$cc"
			[ "$status" = 0 ]
			[ "$stderr" = "snag: race-free on all 2 orders of isolated blocks, for this input" ]
		done
	done
}

@test "a race that only another order has" {
	local cc
	program other 'snag_isolated { a = 1; } x = 1;' 'snag_isolated { f = a; } if (!f) y = x;'
	program apart 'x = 1; snag_isolated { a = 1; }' 'snag_isolated { y = 1; } x = 2;'
	for cc in gcc clang; do
		"$SNAG" run --once "./other-$cc"
		for how in run explore "explore --with isograph" "explore --with cg"; do
			# shellcheck disable=SC2086 # several words
			run --separate-stderr "$SNAG" $how "./other-$cc"
			[ "$status" = 66 ]
			grep -q "Location is global 'x'" <<<"$stderr"
			# blocks that do not conflict order nothing, or have to be run in both orders
			# shellcheck disable=SC2086
			run --separate-stderr "$SNAG" $how "./apart-$cc"
			[ "$status" = 66 ]
		done
	done
}

@test "what was not run is said" {
	program zipper 'snag_isolated { if (!a) x = 1; }' 'snag_isolated { a = 1; } y = x;'
	for how in --once --no-replay; do
		run --separate-stderr "$SNAG" run $how ./zipper-gcc
		[ "$status" = 0 ]
		[[ $stderr == *"its isolated blocks depend on their order, by a; no other order was run"* ]]
	done
}

@test "the same with critical sections" {
	local cc
	cat >critical.c <<-'END'
		int a, x, y;
		int main(void)
		{
		#pragma omp parallel num_threads(2)
		#pragma omp single
			{
		#pragma omp task
				{
		#pragma omp critical
					if (!a)
						x = 1;
				}
		#pragma omp critical
				a = 1;
				y = x;
			}
			return 0;
		}
	END
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -g -O1 -fopenmp critical.c -o critical-$cc
		race_free critical-$cc
	done
}

@test "a deadlock: who waits, for what, where" {
	local cc
	cat >dead.c <<-'END'
		#include <snag/task.h>
		int x;
		static struct snag_promise *p, *q;
		static void task(void *arg)
		{
			(void)arg;
			x = 1;
			snag_promise_get(p);
			snag_promise_set(q, 0);
		}
		static void first(void *arg)
		{
			if (arg)
				snag_async(task, 0), snag_promise_get(q), snag_promise_set(p, 0);
			else
				snag_async(task, 0), x = 2, snag_promise_get(q);
		}
		int main(int argc, char **argv)
		{
			(void)argv;
			p = snag_promise_new();
			q = snag_promise_new();
			return snag_launch(first, argc == 1 ? &x : 0) != SNAG_DEADLOCK;
		}
	END
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -g -O0 -fsnag-task dead.c -o dead-$cc
		run --separate-stderr "$SNAG" run ./dead-$cc
		[ "$status" = 66 ]
		grep -q '^WARNING: snag: deadlock' <<<"$stderr"
		grep -A1 'Task 0 waits for promise [01], which no task sets' <<<"$stderr" | grep -q '#0 first .*dead.c:14'
		grep -A1 'Task 1 waits for promise [01], which no task sets' <<<"$stderr" | grep -q '#0 task .*dead.c:8'
		grep -q '^snag: deadlock, race-free up to it' <<<"$stderr"
		run --separate-stderr "$SNAG" run --json r.json --sarif r.sarif --html r.html ./dead-$cc
		[ "$status" = 66 ]
		grep -qF '"text":"deadlock, race-free up to it"' r.html
		[ "$(jq -r '.certificate.verdict, (.incidents[] | .kind, (.waits[] | .task, .for, .stack[0].line))' r.json | xargs)" = \
			"race-free deadlock T0 promise 14 T1 promise 8" ]
		[ "$(jq -r '.runs[0].results[] | .ruleId, (.locations[] | .physicalLocation.region.startLine)' r.sarif | xargs)" = "deadlock 14 8" ]
		run --separate-stderr "$SNAG" explore --json r.json ./dead-$cc
		[ "$status" = 66 ]
		[ "$(jq -r .explore.failure r.json)" = deadlock ]
		run --separate-stderr "$SNAG" run --json r.json ./dead-$cc races # and a race before it
		[ "$status" = 66 ]
		[ "$(jq -r '.certificate.verdict, .incidents[].kind' r.json | xargs)" = "race race deadlock" ]
	done
}

@test "blocks of an order have the lines of the program; --stats prints once" {
	local cc level
	for cc in gcc clang; do
		for level in -O0 -O1; do
			SNAG_CC=$cc "$SNAG" cc -g $level -fsnag-task "$root/tests/programs/explore_race.c" -o door
			run --separate-stderr "$SNAG" explore ./door
			[ "$(grep -c 'Block [123] of this order: .*explore_race.c:\(13\|23\)' <<<"$stderr")" = 3 ]
		done
	done
	run --separate-stderr "$SNAG" run --stats ./door
	[ "$(grep -c 'tree nodes' <<<"$stderr")" = 1 ]
}

@test "updates that commute need one order" {
	local cc level
	cat >updates.c <<-'END'
		#include <snag/task.h>
		static int n, least = 100, greatest, flag, all, array[4], step = 2;
		static struct { int count; unsigned bits : 3; } s;
		static void task(void *arg)
		{
			int v = *(int *)arg, *p = &n;
			snag_isolated { n++; n += v; *p -= 3; n = n + 2 * v; (*p)--; }
			snag_isolated { if (v < least) least = v; greatest = greatest > v ? greatest : v; }
			snag_isolated { flag = 1; array[v & 3] += step; s.count |= 1 << v; }
			snag_isolated_begin();
			if (v > 2) { --n; } else n++;
			snag_isolated_end();
			__atomic_fetch_add(&all, 1, __ATOMIC_RELAXED);
			if (v > 100)
				p = &array[({ ; __atomic_fetch_add(&all, 1, __ATOMIC_RELAXED); })]; /* a value */
		}
		static void first(void *arg)
		{
			snag_finish for (int i = 0; i < 6; i++) snag_async_copy(task, &i, sizeof(i));
		}
		int main(void) { return snag_launch(first, 0); }
	END
	cat >sections.c <<-'END'
		int n, least = 100, count, array[8]; long large;
		int main(void)
		{
		#pragma omp parallel for
			for (int i = 0; i < 8; i++) {
		#pragma omp critical
				n += i;
		#pragma omp critical (least)
				{ if (i < least) least = i; }
		#pragma omp atomic
				count++;
		#pragma omp atomic update
				array[i & 1] += i;
				__sync_fetch_and_add(&large, 1);
			}
			return n != 28 || least || count != 8;
		}
	END
	for cc in gcc clang; do
		for level in -O0 -O2; do
			SNAG_CC=$cc "$SNAG" cc -g $level -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter \
				-fsnag-task updates.c -o updates
			race_free updates
			[ "$(jq .explore.schedules r.json)" = 1 ]
			SNAG_CC=$cc "$SNAG" cc -g $level -fopenmp sections.c -o sections
			race_free sections
		done
	done
}

@test "updates whose order matters are run in every order" {
	local cc
	program read 'snag_isolated { a++; if (a == 2) x = 1; }' 'snag_isolated { a++; f = a == 1; } if (f) y = x;'
	program kinds 'snag_isolated { a += 1; } ' 'snag_isolated { a *= 2; f = a; } if (f == 2) y = x; x = 1;'
	program rounded 'snag_isolated { a += 0.5; }' 'snag_isolated { a += 1.5; }'
	for cc in gcc clang; do
		run --separate-stderr "$SNAG" explore "./read-$cc"
		[ "$status" = 66 ]
		grep -q "Location is global 'x'" <<<"$stderr"
		run --separate-stderr "$SNAG" explore "./kinds-$cc"
		[ "$stderr" = "snag: race-free on all 2 orders of isolated blocks, for this input" ]
		run --separate-stderr "$SNAG" explore "./rounded-$cc"
		[ "$stderr" = "snag: race-free on all 2 orders of isolated blocks, for this input" ]
	done
}

@test "what keeps another order from being proved is no proof" {
	local cc by
	cat >rest.c <<-'END'
		#include <pthread.h>
		#include <snag/task.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static struct snag_promise *p;
		int a, f, x, y, n = 2;
		static int atomically(void) { return __atomic_fetch_sub(&n, 1, __ATOMIC_SEQ_CST); }
		static int locked(void)
		{
			pthread_mutex_lock(&m);
			int v = n--;
			pthread_mutex_unlock(&m);
			return v;
		}
		static int asked(void) { return snag_promise_is_set(p) ? 1 : 2; }
		static void task(void *arg) { (void)arg; snag_isolated { a = 1; } }
		static void more(void *arg)
		{
			(void)arg;
			x = 1;
			snag_promise_set(p, 0);
			BY();
		}
		static void first(void *arg)
		{
			(void)arg;
			snag_finish {
				snag_async(task, 0);
				snag_isolated { f = a; }
				if (!f) { /* not in the order that is observed */
					snag_async(more, 0);
					if (BY() == 2)
						y = x;
				}
			}
		}
		int main(void) { p = snag_promise_new(); return snag_launch(first, 0); }
	END
	for cc in gcc clang; do
		for by in atomically locked; do # their orders run, too
			SNAG_CC=$cc "$SNAG" cc -g -fsnag-task -DBY=$by rest.c -o rest
			run --separate-stderr "$SNAG" run --replay-seconds 30 ./rest
			[ "$status" = 66 ]
			grep -q "Location is global 'x'" <<<"$stderr"
		done
		SNAG_CC=$cc "$SNAG" cc -g -fsnag-task -DBY=asked rest.c -o rest
		run --separate-stderr "$SNAG" run --replay-seconds 30 --json r.json ./rest
		[ "$status" = 0 ]
		[ "$(jq -r .certificate.verdict r.json)" = no-race-found ]
		run --separate-stderr "$SNAG" run --replay-seconds 30 ./rest
		[[ $stderr == *"in another order of its sections, "* ]]
	done
}

@test "sums of booleans depend on the order" {
	local cc
	program booleans 'snag_isolated { *(_Bool *)&a -= 1; }' 'snag_isolated { *(_Bool *)&a += 1; f = a; } if (!f) y = x;'
	for cc in gcc clang; do
		run --separate-stderr "$SNAG" explore "./booleans-$cc"
		[ "$stderr" = "snag: race-free on all 2 orders of isolated blocks, for this input" ]
	done
	cat >booleans.cc <<-'END'
		#include <snag/task.hpp>
		static bool b = true;
		static int x;
		int main()
		{
			return snag::launch([] {
				snag::finish([] {
					snag::async([] { snag::isolated([] { b ^= 1; }); });
					snag::async([] { snag::isolated([] { b ^= 2; }); });
				});
				snag::finish([] {
					if (!b)
						snag::async([] { x = 1; });
					x = 2;
				});
			});
		}
	END
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" c++ -g -std=c++17 -fsnag-task booleans.cc -o booleans
		run --separate-stderr "$SNAG" explore ./booleans
		[ "$status" = 66 ] # the other order leaves false
		grep -q "Location is global 'x'" <<<"$stderr"
	done
}

@test "who counts down to 0 without looking is not the last one" {
	local cc name
	program last 'x = 1; __atomic_fetch_sub(&a, 1, __ATOMIC_SEQ_CST);' \
		'__atomic_fetch_sub(&a, 1, __ATOMIC_SEQ_CST); y = x;'
	sed -i 's/int a,/int a = 2,/' last.c
	cat >last_omp.c <<-'END'
		int a = 2, x, y;
		int main(void)
		{
		#pragma omp parallel num_threads(2)
		#pragma omp single
			{
		#pragma omp task
				{
					x = 1;
					__atomic_fetch_sub(&a, 1, __ATOMIC_SEQ_CST);
				}
				__atomic_fetch_sub(&a, 1, __ATOMIC_SEQ_CST);
				y = x;
			}
			return 0;
		}
	END
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -O1 -g -fsnag-task last.c -o last
		SNAG_CC=$cc "$SNAG" cc -O1 -g -fopenmp last_omp.c -o last_omp
		for name in last last_omp; do
			run --separate-stderr "$SNAG" run ./$name
			[ "$status" = 66 ]
			grep -q "Location is global 'x'" <<<"$stderr"
		done
	done
}

@test "locks and atomics run in every order" {
	local cc name last
	last="if (__atomic_add_fetch(&a, 1, __ATOMIC_ACQ_REL) == 2) data = f + got;"
	program flag 'data = 42; __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);' \
		'if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) got = data;'
	program mutex 'data = 42; pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m);' \
		'pthread_mutex_lock(&m); f = flag; pthread_mutex_unlock(&m); if (f) got = data;'
	program rwlock 'data = 42; pthread_rwlock_wrlock(&rw); flag = 1; pthread_rwlock_unlock(&rw);' \
		'pthread_rwlock_rdlock(&rw); f = flag; pthread_rwlock_unlock(&rw); if (f) got = data;'
	program last "f = 1; $last" "got = 1; $last"
	# races that the observed order hides; of a relaxed flag; of what follows an update
	program early 'data = 42; __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);' \
		'if (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) got = data;'
	program unlocked 'data = 42; pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m);' \
		'pthread_mutex_lock(&m); f = flag; pthread_mutex_unlock(&m); if (!f) got = data;'
	program relaxed 'data = 42; __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);' \
		'if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) got = data;'
	program after "$last" "$last data = 3;"
	# with a minimum, whose order matters, beside updates whose order does not
	program counted 'snag_isolated { if (x > 1) x = 1; } data = 1; __sync_fetch_and_sub(&a, 1);' \
		'__sync_fetch_and_add(&a, 1); got = data;'
	program added 'snag_isolated { if (x > 1) x = 1; } data = 1; pthread_mutex_lock(&m); a += 1; pthread_mutex_unlock(&m);' \
		'pthread_mutex_lock(&m); a += 2; pthread_mutex_unlock(&m); got = data;'
	# what runs in the middle of a block is not tried
	program inside 'data = 42; snag_isolated { a = 1; __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST); }' \
		'if (__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) got = data;'
	# each task may read 0, which no order shows
	program weak '__atomic_store_n(&a, 1, __ATOMIC_RELEASE); if (!__atomic_load_n(&f, __ATOMIC_ACQUIRE)) x = 1;' \
		'__atomic_store_n(&f, 1, __ATOMIC_RELEASE); if (!__atomic_load_n(&a, __ATOMIC_ACQUIRE)) x = 2;'
	for cc in gcc clang; do
		for name in flag mutex rwlock last; do
			race_free $name-$cc
		done
		for name in early unlocked relaxed after counted added; do
			run --separate-stderr "$SNAG" run --replay-seconds 30 ./$name-$cc
			[ "$status" = 66 ]
			grep -q "Location is global 'data'" <<<"$stderr"
		done
		run --separate-stderr "$SNAG" run --replay-seconds 30 ./inside-$cc
		[ "$status" = 0 ]
		[[ $stderr == *"the order of atomic accesses to flag matters"* ]]
		run --separate-stderr "$SNAG" run --replay-seconds 30 ./weak-$cc
		[ "$status" = 0 ]
		[[ $stderr == *"the order of atomic accesses to several variables matters, and not all are seq_cst"* ]]
	done
}

# The programs are the same whatever the tool: a sanitized one judges fewer.
random_programs() {
	local many=40
	if is_sanitized; then many=10; fi
	echo "${SNAG_RANDOM_ISOLATED:-$many}"
}

@test "random programs with atomics: what every schedule says" {
	python3 "$root/tests/isolated/check.py" "$SNAG" --atomics --programs "$(random_programs)"
}

@test "random programs with updates: what every schedule says" {
	python3 "$root/tests/isolated/check.py" "$SNAG" --updates --programs "$(random_programs)"
}

@test "random programs: what every schedule says" {
	python3 "$root/tests/isolated/check.py" "$SNAG" --programs "$(random_programs)"
}

@test "random programs with OpenMP: what every schedule says" {
	python3 "$root/tests/isolated/check.py" "$SNAG" --openmp --programs "$(random_programs)"
}

@test "random programs with OpenMP and updates: what every schedule says" {
	python3 "$root/tests/isolated/check.py" "$SNAG" --openmp --updates --programs "$(random_programs)"
}

@test "a maximum that writes in one order only" {
	local cc
	# In the order where main's block is the second it comes after the task's; in the other the task does not write.
	program maximum 'snag_isolated { if (x < 1) x = 1; }' 'snag_isolated { if (x < 2) x = 2; } y = x;'
	program reads 'snag_isolated { f = x; }' 'snag_isolated { if (x > 1) x = 1; } x = y; snag_isolated { x += 1; }'
	program sum 'snag_isolated { x += 1; }' 'snag_isolated { x += 2; } y = x;'
	for cc in gcc clang; do
		race_free maximum-$cc
		run --separate-stderr "$SNAG" run ./reads-$cc
		[ "$status" = 66 ]
		run --separate-stderr "$SNAG" run ./sum-$cc
		[ "$status" = 66 ]
	done
}
