#!/usr/bin/env bats
# snag explore: every order of isolated blocks of programs written with <snag/task.h>, and of critical
# sections of OpenMP.
load helper

build() { # SOURCE OUT
	"$SNAG" cc -O1 -g -fsnag-task -o "$2" "$1"
}

@test "n tasks with one conflicting block: n! orders, each run once" {
	local n expected=1
	build "$root/tests/programs/explore_orders.c" orders
	for n in 1 2 3; do
		expected=$((expected * n))
		run --separate-stderr "$SNAG" explore --json r.json ./orders $n
		[ "$status" = 0 ]
		[ "$(jq -r '.explore | .verdict, .orders, .redundant, .exhaustive' r.json | xargs)" = "race-free $expected 0 true" ]
		# each task is the first equally often
		[ "$(jq -r '.explore.statuses | length, .["0"]' r.json | xargs)" = "$n $((expected / n))" ]
	done
	[ "$(head -1 <<<"$stderr")" = "snag: race-free on all 6 orders of isolated blocks, for this input" ]
}

@test "blocks that commute have one order" {
	build "$root/tests/programs/explore_orders.c" orders
	run --separate-stderr "$SNAG" explore ./orders 5 apart
	[ "$status" = 0 ]
	[ "$stderr" = "snag: race-free on the only order of isolated blocks, for this input" ]
}

@test "a race in one order only" {
	build "$root/tests/programs/explore_race.c" door
	"$SNAG" run --once ./door # has none when run depth first
	run --separate-stderr "$SNAG" run ./door # which is not the only order
	[ "$status" = 66 ]
	grep -q '^  Block 1 of this order: task [23] at' <<<"$stderr"
	run --separate-stderr "$SNAG" explore --json r.json ./door
	[ "$status" = 66 ]
	grep -q '^  .*rite of size 4 at guests by task' <<<"$stderr"
	grep -q '^  Block 1 of this order: task [23] at' <<<"$stderr"
	grep -q '^snag: a race in the last of [0-9]* orders of isolated blocks' <<<"$stderr"
	[ "$(jq -r '.explore.verdict, .explore.exhaustive, (.incidents | length > 0)' r.json | xargs)" = "race false true" ]
}

@test "a race with what was done to a word before a part of it" {
	build "$root/tests/programs/task_race_split.c" split
	for how in "run --once" explore; do
		# shellcheck disable=SC2086 # two words
		run --separate-stderr "$SNAG" $how ./split
		[ "$status" = 66 ]
		grep -q '^  .*rite of size 8 at word.half\[1\] by task' <<<"$stderr"
	done
}

@test "bounded, and honest about it" {
	build "$root/tests/programs/explore_orders.c" orders
	run --separate-stderr "$SNAG" explore --schedules 2 --json r.json ./orders 3
	[ "$status" = 0 ]
	[ "$(head -1 <<<"$stderr")" = "snag: no race found in 2 orders of isolated blocks, but there may be others: the limit of runs was reached" ]
	[ "$(jq -r '.explore | .verdict, .orders, .exhaustive, .gap' r.json | xargs)" = "no-race-found 2 false the limit of runs was reached" ]
	cat >hangs.c <<-'END'
		#include <snag/task.h>
		static int n;
		static void add(void *arg) { snag_isolated { n++; } }
		static void look(void *arg)
		{
			int seen;
			snag_isolated { seen = n; }
			while (seen) { }
		}
		static void first(void *arg) { snag_async(look, 0); snag_async(add, 0); }
		int main(void) { return snag_launch(first, 0); }
	END
	build hangs.c hangs
	run --separate-stderr "$SNAG" explore --seconds 1 ./hangs # in one order it never ends
	[ "$status" = 0 ]
	[ "$(head -1 <<<"$stderr")" = "snag: no race found in 2 orders of isolated blocks, but there may be others: in the last one the program did not end" ]
	run --separate-stderr env --default-signal=INT timeout -s INT 3 "$SNAG" explore --json r.json ./hangs
	[ "$(jq -r '.explore.gap' r.json)" = "it was interrupted" ]
}

@test "what the orders do not decide" {
	cat >mixed.c <<-'END'
		#include <snag/task.h>
		#include <stdatomic.h>
		static atomic_int count;
		static int x;
		static void add(void *arg)
		{
			if (NUMBER == 100)
				x = 0;
			snag_isolated { x = 2 * x + 1; }
		}
		static void first(void *arg) { snag_async(add, 0); snag_async(add, 0); }
		int main(void) { return snag_launch(first, 0) || x != 3; }
	END
	sed 's/NUMBER/snag_worker_number()/' mixed.c >number.c
	build number.c number
	run --separate-stderr "$SNAG" explore --json r.json ./number
	[ "$status" = 0 ]
	[ "$(head -1 <<<"$stderr")" = "snag: no race found on all 2 orders of isolated blocks, for this input" ]
	grep -q 'the program asks which thread runs a task' <<<"$stderr"
	[ "$(jq -r .explore.verdict r.json)" = no-race-found ]
	sed 's/NUMBER/count++/' mixed.c >count.c
	build count.c count
	run --separate-stderr "$SNAG" explore ./count
	[ "$status" = 0 ]
	[ "$stderr" = "snag: race-free on all 4 orders of isolated blocks, locks and atomics, for this input" ]
}

@test "a program that does something else the second time" {
	cat >changes.c <<-'END'
		#include <fcntl.h>
		#include <snag/task.h>
		#include <unistd.h>
		static int x;
		static void add(void *arg) { snag_isolated { x = 2 * x + 1; } }
		static void first(void *arg)
		{
			int again = access("was-there", F_OK) == 0;
			close(open("was-there", O_CREAT | O_WRONLY, 0600));
			if (again)
				return;
			snag_async(add, 0);
			snag_async(add, 0);
		}
		int main(void) { return snag_launch(first, 0); }
	END
	build changes.c changes
	run --separate-stderr "$SNAG" explore ./changes
	[ "$status" = 0 ]
	grep -q 'there may be others: the program did something else when it was run again' <<<"$stderr"
}

openmp() { # SOURCE OUT
	SNAG_CC=clang "$SNAG" cc -O1 -g -fopenmp -o "$2" "$1"
}

@test "OpenMP: n tasks that exclude each other have n! orders" {
	local how
	openmp "$root/tests/programs/explore_omp_orders.c" orders
	for how in critical lock mutexinoutset; do
		run --separate-stderr "$SNAG" explore --json r.json ./orders 3 $how
		[ "$status" = 0 ]
		[ "$(jq -r '.explore | .verdict, .orders, .redundant, .exhaustive, .statuses["0"]' r.json | xargs)" = "race-free 6 0 true 2" ]
		[ "$(head -1 <<<"$stderr")" = "snag: race-free on all 6 orders of critical sections, for this input" ]
	done
	run --separate-stderr "$SNAG" explore ./orders 5 apart
	[ "$stderr" = "snag: race-free on the only order of critical sections, for this input" ]
}

@test "OpenMP: a race in one order only" {
	openmp "$root/tests/programs/explore_omp_race.c" door
	"$SNAG" run --once ./door # has none in the order that is run first
	run --separate-stderr "$SNAG" explore ./door
	[ "$status" = 66 ]
	grep -q "Location is global 'guests'" <<<"$stderr"
	grep -q '^snag: a race in the last of 2 orders of critical sections' <<<"$stderr"
}

@test "OpenMP: barriers and loops, nested locks, and what the orders do not decide" {
	cat >phases.c <<-'END'
		static int x, y;
		int main(int argc, char **argv)
		{
		#pragma omp parallel num_threads(2)
			{
		#pragma omp critical
				x = x * 2 + 1;
		#pragma omp barrier
		#pragma omp critical
				x = x * 3 + 2;
		#pragma omp for
				for (int i = 0; i < 2; i++) {
		#pragma omp critical
					x = 2 * x + i;
				}
				if (argc == 2) {
		#pragma omp critical(a)
		#pragma omp critical(b)
					x = 2 * x + 1;
				}
				if (argc == 3) {
		#pragma omp atomic
					y++;
		#pragma omp atomic
					y *= 2;
				}
			}
			return 0;
		}
	END
	openmp phases.c phases
	run --separate-stderr "$SNAG" explore ./phases # 2 in the first phase, 6 in the second
	[ "$stderr" = "snag: race-free on all 12 orders of critical sections, for this input" ]
	run --separate-stderr "$SNAG" explore ./phases nested
	[ "$(head -1 <<<"$stderr")" = "snag: no race found on all 24 orders of critical sections, for this input" ]
	grep -q 'the order in which tasks take lock .* matters to x' <<<"$stderr"
	run --separate-stderr "$SNAG" explore --schedules 3 ./phases two words
	[ "$(head -1 <<<"$stderr")" = "snag: no race found in 3 orders of critical sections, but there may be others: the limit of runs was reached" ]
	grep -q 'the order of atomic accesses to y matters' <<<"$stderr"
}
