#!/usr/bin/env bats
# snag run of programs written with <snag/task.h> (tests/programs/task_*), with gcc and clang at -O0
# and -O2.  task_race_*.c say what races; task_norace_*.c what the verdict says of all schedules.
load helper

build() { # COMPILER LEVEL SOURCE
	SNAG_CC=$1 "$SNAG" cc "$2" -g -fsnag-task -o prog "$3"
}

judge() { # SOURCE
	local what status=0
	timeout 60 "$SNAG" run ./prog >out 2>err || status=$?
	what=$(sed -nE 's/^ \* (race|verdict): (.*)/\2/p' "$1")
	[ -n "$what" ]
	case $(basename "$1") in
	task_race_*)
		[ $status = 66 ] && grep -qE '^  Location is (global .|heap|stack)' err &&
			grep -q "^  Location is .*$what" err &&
			grep -qE '^  Task [0-9]+ created by task [0-9]+ at:$' err
		;;
	*)
		[ $status = 0 ] && grep -q "^snag: .*$what" err
		;;
	esac
}

all() { # PART COMPILER LEVEL
	local source
	for source in $(part "$1" "$root"/tests/programs/task_*.c); do
		build "$2" "$3" "$source"
		SNAG_OPTIONS=observe=0 ./prog # in parallel, by itself
		judge "$source" || { echo "$source, $2 $3"; cat err; return 1; }
	done
}

@test "gcc -O0" {
	all 0 gcc -O0
}

@test "gcc -O2" {
	all 1 gcc -O2
}

@test "clang -O0" {
	all 2 clang -O0
}

@test "clang -O2" {
	all 3 clang -O2
}

@test "stacks of the accesses and of the creation" {
	build gcc -O1 "$root/tests/programs/task_race_async.c"
	run --separate-stderr "$SNAG" run --json r.json ./prog
	[ "$status" = 66 ]
	grep -q '^  Read of size 4 at total by task 2:$' <<<"$stderr"
	grep -A1 '^  Previous write of size 4 at total by task 1:$' <<<"$stderr" | grep -q '#0 add .*task_race_async.c:'
	grep -A1 '^  Task 2 created by task 0 at:$' <<<"$stderr" | grep -q '#0 first .*task_race_async.c:'
	grep -A2 '^  Task 2 created by task 0 at:$' <<<"$stderr" | grep -q '#1 main .*task_race_async.c:' # who launched
	refute grep -qE '/src/task/|libc_start' <<<"$stderr"
	[ "$(jq -r '.analyses[0].detector // .analyses[0].name' r.json)" = drdp ]
}

@test "ranges of elements, the missing edge, and the tasks in JSON and SARIF" {
	build gcc -O1 "$root/tests/programs/task_race_range.c"
	run --separate-stderr "$SNAG" run --json r.json --sarif r.sarif ./prog
	[ "$status" = 66 ]
	[ "$(grep -c '^WARNING' <<<"$stderr")" = 1 ]
	grep -qF '  Range: a[30..59] (30 elements of 4 bytes)' <<<"$stderr"
	if [ -n "$(command -v clang)" ]; then # an access of two elements is one of the array's elements
		SNAG_CC=clang "$SNAG" cc -O2 -g -fsnag-task "$root/tests/programs/task_race_range.c" -o vectors
		run --separate-stderr "$SNAG" run ./vectors
		grep -qF '  Range: a[30..59] (30 elements of 4 bytes)' <<<"$stderr"
		run --separate-stderr "$SNAG" run --json r.json --sarif r.sarif ./prog
	fi
	edge="task 0 created tasks 1 and 2 with no finish or sync between, and no promise orders these two tasks"
	grep -qF "  Missing: $edge" <<<"$stderr"
	[ "$(jq -r '.incidents[0] | .range.first, .range.last, .range.places, .range.first_byte, .range.bytes' r.json | xargs)" = "30 59 30 120 120" ]
	[ "$(jq -r '.incidents[0].missing_edge' r.json)" = "$edge" ]
	[ "$(jq -r '.incidents[0].accesses[1].task | .creator, .stack[0].function' r.json | xargs)" = "T0 first" ]
	[ "$(jq -r '.runs[0].results[0].properties.range' r.sarif)" = "a[30..59] (30 elements of 4 bytes)" ]
	cat >pairs.c <<-'END'
		#include <snag/task.h>
		#include <stdlib.h>
		static struct { int x, y; } *b;
		static void add(void *arg)
		{
			for (int i = 0; i < 10; i++)
				b[i].y = 1;
		}
		static void first(void *arg)
		{
			b = calloc(10, sizeof(*b));
			snag_async(add, 0);
			add(0);
		}
		int main(void) { return snag_launch(first, 0) != 0 || !b[9].y; }
	END
	build gcc -O1 pairs.c
	run --separate-stderr "$SNAG" run ./prog
	grep -qF '  Range: bytes 4..79 of the block (10 places, 8 bytes apart)' <<<"$stderr"
	grep -q '  Missing: task 0 goes on beside task 1, which it created: no finish or sync waits for that' <<<"$stderr"
}

@test "the graph of tasks with the racing steps marked" {
	build gcc -O1 "$root/tests/programs/task_race_range.c"
	run --separate-stderr "$SNAG" run --dot g.dot ./prog
	[ "$status" = 66 ]
	[ "$(grep -c 'shape=box, color=red' g.dot)" = 2 ]
	grep -q 'task_race_range.c:[0-9:]* w a' g.dot
	grep -q 'style=bold, label="a+0x78"' g.dot
	run --separate-stderr "$SNAG" run --dot /nowhere/g.dot ./prog
	[ "$status" = 2 ]
}

@test "one HTML page that needs nothing else, all names escaped" {
	build gcc -O1 "$root/tests/programs/task_race_range.c"
	cp prog '<b onclick="x">&'
	run --separate-stderr "$SNAG" run --html r.html './<b onclick="x">&'
	[ "$status" = 66 ]
	grep -qF '<title>snag: ./&#60;b onclick=&#34;x&#34;&#62;&#38;</title>' r.html
	refute grep -qE '<b onclick|<script[^>]*src=|<link|@import|https?://[^w]' r.html
	[ "$(grep -c '</script>' r.html)" = 2 ]
	# the data, which has no '<'
	sed -n '/id="data"/,/<.script>/p' r.html | sed '1d; s/<.script>//' >data.json
	refute grep -q '<' data.json
	jq -e '.incidents[0].range.text == "a[30..59] (30 elements of 4 bytes)"' data.json
	jq -e '.program.path == "./<b onclick=\"x\">&"' data.json
	jq -e '[.extras[].graph.chains[] | length] == [1, 1]' data.json
	build gcc -O1 "$root/tests/programs/task_norace_fib.c"
	"$SNAG" run --html r.html ./prog
	grep -q '"verdict":"race-free"' r.html
}

@test "half a million tasks, one after the other" {
	cat >many.c <<-'END'
		#include <snag/task.h>
		static int n[4];
		static void one(void *arg) { ++*(int *)arg; }
		static void first(void *arg)
		{
			for (int i = 0; i < 500000; i++)
				snag_finish snag_async(one, &n[i % 4]);
		}
		int main(void) { return snag_launch(first, 0) || n[3] != 125000; }
	END
	build gcc -O1 many.c
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	[ "$stderr" = "snag: race-free for this input on every schedule (the code as optimised)" ]
}

@test "spbags judges programs that only spawn and sync" {
	cat >cilk.c <<-'END'
		#include <snag/task.h>
		struct fib { long n, result; };
		static int x;
		static void fib(void *arg)
		{
			struct fib *f = arg, a = {f->n - 1, 0}, b = {f->n - 2, 0};
			f->result = f->n;
			if (f->n < 2)
				return;
			snag_spawn(fib, &a);
			snag_spawn(fib, &b);
			snag_sync();
			f->result = a.result + b.result;
		}
		static void add(void *arg) { (void)arg; x++; }
		static void first(void *arg)
		{
			struct fib f = {8, 0};
			fib(&f);
			snag_spawn(add, 0);
			if (!arg)
				snag_sync();
			snag_spawn(add, 0);
		}
		int main(int argc, char **argv) { (void)argv; return snag_launch(first, argc > 1 ? &x : 0); }
	END
	for cc in gcc clang; do
		build $cc -O1 cilk.c
		for with in spbags espbags drdp; do
			run --separate-stderr "$SNAG" run --with $with ./prog
			[[ $stderr == "snag: race-free for this input on every schedule"* ]]
			run --separate-stderr "$SNAG" run --with $with ./prog races
			[ "$status" = 66 ]
			grep -q "Location is global 'x'" <<<"$stderr"
		done
	done
}

@test "the first task without others: its accesses are not looked at, in any file" {
	local cc
	echo 'void fill(int *p) { for (int i = 0; i < 1000; i++) p[i] = i; }' >fill.c
	cat >alone.c <<-'END'
		#include <snag/task.h>
		void fill(int *p);
		static int a[1000], b[1000], x;
		static void set(void *arg) { (void)arg; x = 1; }
		static void none(void *arg) { (void)arg; }
		static void first(void *arg)
		{
			fill(a);
			if (arg)
				snag_async(set, 0); /* no finish waits for it */
			snag_finish {
				snag_finish snag_async(none, 0);
				snag_async(none, 0);
			}
			fill(b);
			x = 2;
		}
		int main(int argc, char **argv) { (void)argv; return snag_launch(first, argc > 1 ? &x : 0); }
	END
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -g -O1 -fsnag-task fill.c alone.c -o prog
		"$SNAG" record -o t.snag ./prog
		[ "$("$SNAG" info t.snag | sed -nE 's/^variables +//p')" = 0 ]
		run --separate-stderr "$SNAG" run ./prog
		[[ $stderr == "snag: race-free for this input on every schedule"* ]]
		run --separate-stderr "$SNAG" run ./prog races
		[ "$status" = 66 ]
		grep -q "Location is global 'x'" <<<"$stderr"
	done
}

@test "input that comes by a pipe: none, at once, late" {
	cat >reads.c <<-'END'
		#include <snag/task.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		static int n, x;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static void one(void *arg)
		{
			if (n == 2)
				pthread_mutex_lock(&m);
			x += n > 0;
			if (n == 2)
				pthread_mutex_unlock(&m);
		}
		static void first(void *arg) { snag_async(one, 0); if (n) snag_async(one, 0); }
		int main(int argc, char **argv)
		{
			if (argc > 1 && scanf("%d", &n) != 1)
				return 9;
			return snag_launch(first, 0);
		}
	END
	build gcc -O1 reads.c
	try() { # STATUS LAST-LINE COMMAND...: with the input of this function
		local wanted=$1 line=$2 status=0
		shift 2
		"$SNAG" run "$@" 2>err || status=$?
		[ $status = "$wanted" ] && [[ $(tail -n 1 err) == $line ]] || { echo "$status"; cat err; return 1; }
	}
	sleep 1 | try 0 "snag: race-free for this input on every schedule (the code as optimised)" ./prog
	echo 1 | try 66 "snag: reported 1 warning*" ./prog reads
	(sleep 0.5 && echo 1) | try 66 "snag: there is a race; its input cannot be read again, so --once says where" ./prog reads
	(sleep 0.5 && echo 2) | try 125 "snag: its input cannot be read again, as a second look needs: use --once" ./prog reads
	(sleep 0.5 && echo 1) | try 66 "snag: reported 1 warning*" --once ./prog reads
}

@test "no claim about tasks that did not run to their end" {
	cat >early.c <<-'END'
		#include <snag/task.h>
		#include <stdlib.h>
		static void leave(void *arg) { exit(arg != 0); }
		static void first(void *arg) { snag_async(leave, arg); }
		int main(void) { return snag_launch(first, 0); }
	END
	build gcc -O1 early.c
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	[ "$stderr" = "snag: no race found, but other schedules may have one: the program ended, or went on, before all its tasks had ended" ]
	cat >stuck.c <<-'END'
		#include <snag/task.h>
		static struct snag_promise never;
		static void wait(void *arg) { snag_promise_get(&never); }
		static void first(void *arg) { snag_async(wait, 0); }
		int main(void) { return snag_launch(first, 0) == SNAG_DEADLOCK ? 7 : 0; }
	END
	build gcc -O1 stuck.c
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 66 ]
	grep -q '^  Task 1 waits for promise 0, which no task sets' <<<"$stderr"
	[ "$(tail -1 <<<"$stderr")" = "snag: deadlock, race-free up to it (the code as optimised)" ]
}

@test "locks, atomics and threads beside tasks" {
	cat >mixed.c <<-'END'
		#include <pthread.h>
		#include <snag/task.h>
		#include <stdatomic.h>
		#include <stdlib.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static atomic_int count;
		static void outside(void) { pthread_mutex_lock(&m); count++; pthread_mutex_unlock(&m); }
		static void *thread(void *arg) { return arg; }
		static int plain;
		static _Thread_local int a[64];
		static struct snag_promise p;
		static void locked(void)
		{
			pthread_mutex_lock(&m);
			plain = 2 * plain + 1;
			pthread_mutex_unlock(&m);
		}
		static void asks(void)
		{
			if (pthread_mutex_trylock(&m) == 0)
				pthread_mutex_unlock(&m);
		}
		static void add(void *arg)
		{
			if (!arg)
				return;
			switch (*(int *)arg) {
			case 1: count++; break;
			case 3: locked(); break;
			case 4: asks(); break;
			case 5: locked(); plain++; break;
			case 6: { int seen = *(int *)&count; count = seen; break; }
			case 7: a[snag_worker_number()] = snag_workers(); break;
			case 8: if (!snag_promise_is_set(&p)) snag_promise_set(&p, 0); break;
			case 9: snag_promise_set(&p, 0); break;
			}
		}
		static void first(void *arg) { snag_async(add, arg); snag_async(add, arg); }
		int main(int argc, char **argv)
		{
			int how = argc > 1 ? atoi(argv[1]) : 0;
			pthread_t t;
			outside();
			if (how == 2 && (pthread_create(&t, 0, thread, 0) || pthread_join(t, 0)))
				return 1;
			int rc = snag_launch(first, how ? &how : 0);
			outside();
			return rc;
		}
	END
	build gcc -O1 mixed.c
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	[ "$stderr" = "snag: race-free for this input on every schedule (the code as optimised)" ]
	for how in 1 3; do
		run --separate-stderr "$SNAG" run --replay-seconds 30 ./prog $how
		[ "$status" = 0 ]
		[ "$stderr" = "snag: race-free for this input on every schedule (all orders of its sections were run: 2) (the code as optimised)" ]
	done
	run --separate-stderr "$SNAG" run --no-replay ./prog 1
	[ "$status" = 0 ]
	[[ $stderr == "snag: no race found, but other schedules may have one: the order of atomic accesses to count matters; no other order was run ("*"mixed.c:"*")" ]]
	run --separate-stderr "$SNAG" run --no-replay --json r.json ./prog 3
	[ "$status" = 0 ]
	[[ $stderr == "snag: no race found, but other schedules may have one: the order in which tasks take lock m matters to plain; no other order was run ("*"mixed.c:"*")" ]]
	[ "$(jq -r '.certificate | .verdict, .obstacles[0].kind' r.json)" = "no-race-found
lock" ]
	run --separate-stderr "$SNAG" run ./prog 4
	[ "$status" = 0 ]
	[[ $stderr == "snag: no race found, but other schedules may have one: the program asks whether a lock is free ("*"mixed.c:"*")" ]]
	for how in "7 thread-count,thread-number" "8 promise-asked" "9 set-twice"; do
		"$SNAG" run --json r.json ./prog "${how%% *}"
		[ "$(jq -r '.certificate | .verdict, ([.obstacles[].kind] | sort | join(","))' r.json)" = "no-race-found
${how##* }" ]
	done
	run --separate-stderr "$SNAG" run --json r.json ./prog 5
	[ "$status" = 66 ]
	grep -q "mutexes: write m" <<<"$stderr"
	[ "$(jq -r '.certificate.verdict' r.json)" = race ]
	run --separate-stderr "$SNAG" run ./prog 6
	[ "$status" = 66 ]
	grep -q "tomic write of size 4 at count by task" <<<"$stderr"
	run --separate-stderr "$SNAG" run ./prog 2
	[ "$status" = 125 ]
	[ "$stderr" = "snag: snag_launch() in a program that created threads before cannot be judged" ]
}

@test "-fsnag-task in steps, and C++" {
	cp "$root/tests/programs/task_norace_fib.c" fib.c
	"$SNAG" cc -fsnag-task -g -c fib.c
	"$SNAG" cc -fsnag-task fib.o -o prog
	"$SNAG" run ./prog 2>err
	grep -q 'race-free' err
	cat >fib.cc <<-'END'
		#include <snag/task.hpp>
		static int fib(int n)
		{
			int a, b;
			if (n < 2)
				return n;
			snag::finish([&] {
				snag::async([&] { a = fib(n - 1); });
				snag::async([&] { b = fib(n - 2); });
			});
			return a + b;
		}
		static void first(void *arg) { *static_cast<int *>(arg) = fib(10); }
		int main() { int r = 0; return snag_launch(first, &r) != 0 || r != 55; }
	END
	"$SNAG" c++ -std=gnu++17 -g -fsnag-task fib.cc -o prog
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	[ "$stderr" = "snag: race-free for this input on every schedule" ]
}

@test "a program that does not repeat itself" {
	cat >prog.c <<-'END'
		#include <snag/task.h>
		#include <stdio.h>
		#include <unistd.h>
		static int x, was_here;
		static void task(void *arg) { if (!was_here) x++; }
		static void first(void *arg) { snag_finish { snag_async(task, 0); snag_async(task, 0); } }
		int main(void)
		{
			was_here = access("flag", F_OK) == 0;
			fclose(fopen("flag", "w"));
			return snag_launch(first, 0);
		}
	END
	"$SNAG" cc -fsnag-task -g prog.c -o prog
	snags run ./prog
	[ "$status" = 66 ]
	[[ $stderr == *"its first run, which was not recorded, had one; try --once"* ]]
	[[ $stderr != *"race-free for"* ]]
	rm flag
	snags run --once ./prog
	[ "$status" = 66 ]
	[[ $stderr == *"global 'x'"* ]]
}

# The kinds of runs after the first, as --stats prints them with their reasons.
runs_of() {
	run --separate-stderr "$SNAG" run --stats "$@"
	grep -oE '^snag: run [0-9]+: [^:]*: ' <<<"$stderr" | sed 's/^snag: run //; s/: $//'
}

@test "--stats says why the program runs again" {
	build gcc -O1 "$root/tests/programs/task_norace_fib.c"
	[ -z "$(runs_of ./prog)" ]
	build gcc -O1 "$root/tests/programs/task_race_range.c"
	[ "$(runs_of ./prog)" = "2: records the program until some events after the race" ]
	[ -z "$(runs_of --once ./prog)" ]
	build gcc -O1 "$root/tests/programs/task_norace_locked.c"
	[ "$(runs_of ./prog)" = "2: records the whole program" ]
	"$SNAG" cc -fopenmp -g "$root/tests/programs/omp_norace_simd_statements.c" -o prog
	[ "$(runs_of ./prog)" = "2: a detector judges again, with the statements of simd loops in their order" ]
	"$SNAG" cc -fopenmp -g "$root/tests/programs/omp_race_simd_statements.c" -o prog
	[ "$(runs_of ./prog | cut -d: -f1 | xargs)" = "2 3" ]
}

@test "more races than are named while the program runs" {
	cat >prog.c <<-'END'
		#include <snag/task.h>
		static char a[1100000];
		static void task(void *arg) { for (unsigned i = 0; i < sizeof(a); i++) a[i]++; }
		static void first(void *arg) { snag_finish { snag_async(task, 0); snag_async(task, 0); } }
		int main(void) { return snag_launch(first, 0); }
	END
	"$SNAG" cc -fsnag-task -g -O1 prog.c -o prog
	for once in "" --once; do
		snags run $once ./prog
		[ "$status" = 66 ]
		[[ $stderr == *"global 'a'"* ]]
	done
}

@test "a finish of hclib that is left without waiting" {
	cat >left.c <<-'END'
		#include "hclib.h"
		static int x, y;
		static void child(void *arg) { y++; }
		static void body(void *arg)
		{
			x = 1;
			hclib_async(child, NULL, NO_FUTURE, 0, ANY_PLACE);
		}
		static void first(void *arg)
		{
			hclib_start_finish();
			hclib_async(body, NULL, NO_FUTURE, 0, ANY_PLACE);
			hclib_future_t *event = hclib_end_finish_nonblocking();
			if (arg)
				x++;
			hclib_future_wait(event);
			x++;
			y++;
		}
		int main(int argc, char **argv)
		{
			hclib_launch(first, argc > 1 ? argv : NULL, NULL, 0);
			return x + y < 4;
		}
	END
	"$SNAG" cc -fsnag-task -g -O1 -I"$root/include/snag/hclib" left.c -o left
	./left
	run --separate-stderr "$SNAG" run ./left
	[ "$stderr" = "snag: race-free for this input on every schedule (the code as optimised)" ]
	run --separate-stderr "$SNAG" run ./left early
	[ "$status" = 66 ]
	grep -q "Location is global 'x'" <<<"$stderr"
	refute grep -q "Location is global 'y'" <<<"$stderr"
}

@test "the verdict about optimised code says so" {
	local cc
	cat >dead.c <<-'END'
		#include <snag/task.h>
		static int unread; /* a compiler that optimises removes its writes */
		static void task(void *arg) { (void)arg; unread = 1; }
		static void first(void *arg) { (void)arg; snag_async(task, 0); snag_async(task, 0); }
		int main(void) { return snag_launch(first, 0); }
	END
	for cc in gcc clang; do
		build $cc -O0 dead.c
		run --separate-stderr "$SNAG" run ./prog
		[ "$status" = 66 ]
		build $cc -O2 dead.c
		run --separate-stderr "$SNAG" run ./prog
		[ "$status" = 0 ]
		[ "$stderr" = "snag: race-free for this input on every schedule (the code as optimised)" ]
		"$SNAG" run --json r.json ./prog
		[ "$(jq .certificate.optimised r.json)" = true ]
		strip ./prog # the words of the compiler stay
		run --separate-stderr "$SNAG" run ./prog
		[[ $stderr == *"(the code as optimised)" ]]
	done
}

@test "stacks begin in the program, not in the headers of snag" {
	local cc level
	cat >long.cc <<-'END'
		#include <hclib_cpp.h>
		static int x;
		template <class F> struct a_class_with_a_name_that_is_rather_long {
			static void go(F f) { hclib::async([=] { f(); }); }
		};
		int main()
		{
			const char *deps[] = {"system"};
			auto f = [] { x++; };
			auto g = [=] { a_class_with_a_name_that_is_rather_long<decltype(f)>::go(f); };
			hclib::launch(deps, 1, [&] {
				a_class_with_a_name_that_is_rather_long<decltype(g)>::go(g);
				g();
			});
		}
	END
	for cc in gcc clang; do
		for level in -O0 -O2; do
			SNAG_CC=$cc "$SNAG" c++ -std=c++17 $level -g -fsnag-task -I"$root/include/snag/hclib" long.cc -o prog
			run --separate-stderr "$SNAG" run ./prog
			[ "$status" = 66 ]
			[ "$(grep -A1 'created by' <<<"$stderr" | grep -c '#0 .*/long.cc:4:')" -ge 2 ]
		done
	done
}
