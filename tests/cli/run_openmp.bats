#!/usr/bin/env bats
# snag run of programs that use OpenMP (tests/programs/omp_*), with gcc and with clang, at -O0 and -O2.
# omp_race_*.c say what races, omp_norace_*.c what the verdict says.
load helper

build() { # COMPILER LEVEL SOURCE
	local tool=cc
	[ "${3##*.}" = c ] || tool=c++
	grep -q snag/task.h "$3" && tool="$tool -fsnag-task"
	SNAG_CC=$1 "$SNAG" $tool "$2" -g -fopenmp -o prog "$3"
}

judge() { # SOURCE
	local what where="snag: " want=0 status=0
	timeout 60 "$SNAG" run ./prog >out 2>err || status=$?
	case $(basename "$1") in
	omp_race_*) where="  Location is " want=66 ;;
	esac
	[ $status = $want ] && grep -qE '^ \* (race|verdict): ' "$1" || return
	while read -r what; do
		grep -q "^$where.*$what" err || return
	done < <(sed -nE 's/^ \* (race|verdict): (.*)/\2/p' "$1")
}

one() { # COMPILER LEVEL SOURCE
	mkdir "$(basename "$3")" && cd "$(basename "$3")" || return
	build "$1" "$2" "$3" || { echo "$3, $1 $2: not built"; return 1; }
	SNAG_OPTIONS=observe=0 timeout 60 ./prog || { echo "$3, $1 $2, by itself: $?"; return 1; }
	judge "$3" || { echo "$3, $1 $2"; cat err; return 1; }
}

all() { # PART COMPILER LEVEL; several at a time
	export SNAG
	export -f build judge one
	part "$1" "$root"/tests/programs/omp_*.c* |
		xargs -P "$(nproc)" -I{} bash -c "one $2 $3 {}"
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

@test "the verdict does not depend on OMP_NUM_THREADS" {
	local cc n
	for cc in gcc clang; do
		build $cc -O1 "$root/tests/programs/omp_race_loop.c"
		for n in 1 2 8; do
			run --separate-stderr env OMP_NUM_THREADS=$n "$SNAG" run ./prog
			[ "$status" = 66 ]
		done
		build $cc -O1 "$root/tests/programs/omp_norace_loop.c"
		for n in 1 2 8; do
			run --separate-stderr env OMP_NUM_THREADS=$n "$SNAG" run ./prog
			[ "$status" = 0 ]
			[ "$stderr" = "snag: race-free for this input on every schedule (the code as optimised)" ]
		done
	done
}

@test "compiling and linking apart, several sources, dependences for make" {
	printf '%s\n' '#include "n.h"' 'int a[N + 1];' 'void f(void);' \
		'int main(void) { f(); return a[0] != 1; }' >one.c
	printf '%s\n' '#include "n.h"' 'extern int a[N + 1];' 'void f(void);' 'void f(void)' '{' \
		'#pragma omp parallel for' 'for (int i = 0; i < N; i++)' 'a[i] = a[i + 1] + 1;' '}' >two.c
	echo '#define N 8' >n.h
	SNAG_CC=clang "$SNAG" cc -g -fopenmp -MMD -c one.c two.c
	grep -q 'n.h' one.d
	grep -q '^two.o:.*two.c n.h' <(tr -d '\\\n' <two.d)
	SNAG_CC=clang "$SNAG" cc -fopenmp one.o two.o -o prog
	SNAG_OPTIONS=observe=0 ./prog
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 66 ]
	grep -q 'two.c:8' <<<"$stderr"
	SNAG_CC=clang "$SNAG" cc -g -fopenmp one.c two.c -o both
	run --separate-stderr "$SNAG" run ./both
	[ "$status" = 66 ]
}

@test "sources by -x, preprocessed, or from standard input; options and their values in one word" {
	local cc
	printf '%s\n' 'int a[9];' 'int main(void)' '{' '#pragma omp parallel for' 'for (int i = 1; i < 9; i++)' \
		'a[i] = 1 + (i == 2 ? a[i - 1] : 0);' 'return 0;' '}' >one.c # in a thread's block
	cp one.c one.text
	for cc in gcc clang; do
		export SNAG_CC=$cc
		"$SNAG" cc -E -fopenmp one.c -o one.i
		"$SNAG" cc -g -fopenmp one.i -oa
		"$SNAG" cc -g -fopenmp -x c -include stddef.h one.text -xnone -ob
		"$SNAG" cc -g -fopenmp -xc - -oc <one.c
		"$SNAG" cc -g -Wall -Werror -UX -fopenmp -MD -MFone.d -MTrule -c one.c -oone.o
		grep -q '^rule: one.c' one.d
		"$SNAG" cc -g -fopenmp one.o -od
		"$SNAG" cc -g -fopenmp -Wp,-MD,two.d -c one.c
		grep -q '^one.o: one.c' two.d
		for prog in a b c d; do
			run --separate-stderr "$SNAG" run ./$prog
			[ "$status" = 66 ]
			grep -q 'iteration 1 of a loop' <<<"$stderr"
			rm $prog
		done
	done
	printf '%s\n' '-g "-DNAME=\"a b\"" @more' '' >words
	printf '%s' "-fopenmp one.c '-o'" 'prog' ' @missing' >more
	refute env SNAG_CC=gcc "$SNAG" cc @words
	sed -i 's/ @missing//' more
	SNAG_CC=gcc "$SNAG" cc @words
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 66 ]
	SNAG_CC=gcc "$SNAG" cc -g -fopenmp -fdirectives-only one.c -o prog
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 66 ]
}

@test "what a metadirective chooses" { # gcc 12 knows none
	cat >meta.c <<-'END'
		int a[64], b[64], c[64], d[64];
		int main(int argc, char **argv)
		{
		#pragma omp metadirective when(device = {kind(nohost)} : teams loop) default(parallel loop)
			for (int i = 0; i < 64; i++)
				a[i] = 1 + (i == 2 && argc > 1 ? a[i - 1] : 0);
		#pragma omp metadirective when(implementation = {vendor(llvm)} : parallel for) default()
			for (int i = 0; i < 64; i++)
				b[i] = 1 + (i == 2 && argc > 1 ? b[i - 1] : 0);
		#pragma omp parallel
			{
		#pragma omp metadirective when(user = {condition(0)} : simd) default(for)
				for (int i = 0; i < 64; i++)
					c[i] = 1 + (i == 2 && argc > 1 ? c[i - 1] : 0);
			}
		#pragma omp metadirective when(device = {kind(nohost)} : parallel for collapse(2)) default()
			for (int i = 0; i < 8; i++)
				for (int j = i; j < 8; j++)
					d[j] += d[i];
			return 0;
		}
	END
	build clang -O1 meta.c
	./prog
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	run --separate-stderr "$SNAG" run ./prog races
	[ "$status" = 66 ]
	for v in a b c; do
		grep -q "Location is global '$v'" <<<"$stderr"
	done
}

@test "linked by the name of the compiler's library" {
	printf '%s\n' 'int x;' 'void f(void);' 'int main(void) { f(); return 0; }' >main.c
	printf '%s\n' 'extern int x;' 'void f(void);' 'void f(void)' '{' '#pragma omp parallel' 'x++;' '}' >f.c
	local cc lib
	for cc in gcc clang; do
		lib=gomp
		[ $cc = gcc ] || lib=omp
		SNAG_CC=$cc "$SNAG" cc -g -c main.c
		SNAG_CC=$cc "$SNAG" cc -g -fopenmp -c f.c
		SNAG_CC=$cc "$SNAG" cc main.o f.o -l$lib -o prog
		run --separate-stderr "$SNAG" run ./prog
		[ "$status" = 66 ]
		grep -q 'thread 0 of a team' <<<"$stderr"
	done
}

@test "the compilers warn of nothing that the program did not do" {
	printf '%s\n' '#define N 8' '#include "deep.h"' >n.h
	echo 'extern int a[N];' >deep.h
	{ for i in 1 2 3 4 5 6 7 8 9; do echo "// $i"; done; printf '%s\n' '#include "n.h"' 'int a[N];' \
		'#ifdef NO' '#error NO' '#endif' 'int main(void)' '{' '#pragma omp parallel for' \
		'for (int i = 0; i < N; i++)' 'a[i] = i;' 'return 0;' '}'; } >quiet.c
	local cc
	for cc in gcc clang; do
		SNAG_CC=$cc run "$SNAG" cc -Wall -Wextra -Werror -DNO -UNO -fopenmp -c quiet.c
		[ "$status" = 0 ]
		[ -z "$output" ]
		SNAG_CC=$cc run "$SNAG" cc -fopenmp quiet.o -o quiet
		[ -z "$output" ]
	done
}

@test "who asks for the number of its thread is judged in one run" {
	cat >asks.c <<-'END'
		#include <omp.h>
		#include <stdio.h>
		int a[64];
		int main(int argc, char **argv)
		{
			FILE *runs = fopen("runs", "a");
			fputs("x", runs);
			fclose(runs);
		#pragma omp parallel
			a[argc > 1 ? 0 : omp_get_thread_num()] = omp_get_num_threads();
			return 0;
		}
	END
	local cc why="snag: no race found, but other schedules may have one: the program asks"
	for cc in gcc clang; do
		build $cc -O1 asks.c
		rm -f runs
		run --separate-stderr "$SNAG" run ./prog
		[ "$status" = 0 ]
		[ "$(cat runs)" = x ]
		grep -q "^$why which thread runs a task (.*asks.c:10:" <<<"$stderr"
		grep -q "^$why how many threads there are (.*asks.c:10:" <<<"$stderr"
		run --separate-stderr "$SNAG" run env prog=1 ./prog # another file than it was told: it looks twice
		grep -q "^$why which thread runs a task (.*asks.c:10:" <<<"$stderr"
		run --separate-stderr "$SNAG" run ./prog race
		[ "$status" = 66 ]
	done
}

@test "a reduction that ends is called that" {
	for cc in gcc clang; do
		build $cc -O1 "$root/tests/programs/omp_race_reset.c"
		run --separate-stderr "$SNAG" run ./prog
		grep -q 'Missing: .*end of a reduction in thread' <<<"$stderr"
	done
}

@test "a program without a region of several threads is told so" {
	printf '%s\n' 'int x;' 'int main(void)' '{' '#pragma omp parallel num_threads(1)' 'x++;' 'return 0;' '}' >one.c
	build gcc -O1 one.c
	run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	[ "$stderr" = "snag: no tasks, and no parallel region with more than one thread, were met" ]
}

@test "old C, with every warning an error" {
	printf '%s\n' 'int a, b, c[2];' 'int main(void)' '{' '#pragma omp parallel sections' '{' \
		'#pragma omp section' 'a = 1;' '#pragma omp section' 'b = c[0];' '}' 'return 0;' '}' >old.c
	local cc
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -std=c89 -pedantic-errors -Wall -Wextra -Werror -fopenmp old.c -o old
		timeout 60 "$SNAG" run ./old
	done
}

@test "warnings that are errors are those of the source, not of what is made of it" {
	cat >warn.c <<-'END'
		#include <math.h>
		#define IS(a, b) ((a) == (b))
		int f(int x, double d);
		int f(int x, double d)
		{
			switch (x) {
			case 1:
				x++; /* fall through */
			case 2:
				x--;
			}
		#pragma omp parallel for /* schedule(dynamic) */
			for (int i = 0; i < 4; i++) {
			}
		#ifdef BAD
			unsigned y = 1;
			x += x < y;
		#endif
			return IS(x, 3) || isnan(d);
		}
	END
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -O2 -C -Wall -Wextra -Wconversion -pedantic -Werror -fopenmp -c warn.c 2>err
		[ ! -s err ]
		run env SNAG_CC=$cc "$SNAG" cc -Wall -Wextra -Werror=sign-compare -DBAD -fopenmp -c warn.c
		[ "$status" = 1 ]
		[ "$(grep -c 'warn.c:17:' <<<"$output")" = 1 ]
	done
}

@test "pragmas from macros, over several lines, with odd blanks" {
	cat >odd.c <<-'END'
		#define LOOP _Pragma("omp parallel for schedule ( static,2 ) num_threads( 1+1 )")
		#define HOW schedule(static)
		int a[16], b[16], c[16];
		int main(void)
		{
			LOOP for (int i = 2; i < 16; i++) a[i] = a[i - 2] + 1;
		#  pragma   omp  parallel \
				for HOW
			for (int i = 1; i < 16; i++)
				b[i] = b[i - 1] + 1;
		#pragma omp parallel for if(parallel: a[0] == 0) schedule(monotonic: static)
			for (int i = 1; i < 16; i++)
				c[i] = c[i - 1] + 1;
			return 0;
		}
	END
	for cc in gcc clang; do
		build $cc -O1 odd.c
		run --separate-stderr "$SNAG" run ./prog
		[ "$status" = 66 ]
		for v in a b c; do
			grep -q "Location is global '$v'" <<<"$stderr"
		done
	done
}

@test "a deadlock of locks" {
	cat >stuck.c <<-'END'
		#include <omp.h>
		int main(void)
		{
			omp_lock_t lock;
			omp_init_lock(&lock);
		#pragma omp parallel num_threads(2)
			omp_set_lock(&lock);
		}
	END
	for cc in gcc clang; do
		build $cc -O1 stuck.c
		run --separate-stderr "$SNAG" run ./prog
		[ "$status" = 66 ]
		grep -q deadlock <<<"$stderr"
	done
}

@test "a task that never runs: it waits for ever, or its group was cancelled" {
	cat >never.c <<-'END'
		#include <omp.h>
		int x, y;
		int main(int argc, char **argv)
		{
			omp_event_handle_t event;
		#pragma omp parallel
		#pragma omp single
			{
				if (argc > 1) {
		#pragma omp task detach(event) depend(out : x)
					x = 1;
		#pragma omp task depend(in : x)
					x++;
				}
		#pragma omp taskgroup
				{
		#pragma omp task
					{
		#pragma omp cancel taskgroup
					}
		#pragma omp task
					y = 1;
				}
			}
			return y;
		}
	END
	build clang -O1 never.c
	OMP_CANCELLATION=true ./prog
	OMP_CANCELLATION=true run --separate-stderr "$SNAG" run ./prog
	[ "$status" = 0 ]
	grep -q "the program cancels tasks" <<<"$stderr"
	run -125 env SNAG_OPTIONS=observe=0 ./prog forever
	grep -q 'deadlock' <<<"$output"
	run --separate-stderr "$SNAG" run ./prog forever
	[ "$status" = 66 ]
	grep -q '^snag: deadlock' <<<"$stderr"
}

@test "SIGINT to snag alone ends the program, with what was found" {
	cat >spin.c <<'EOF'
#include <unistd.h>
volatile int forever = 1;
int a[100];
int main(void)
{
	for (int n = 0; forever; n++) {
#pragma omp parallel for
		for (int i = 1; i < 100; i++)
			a[i] = a[i - 1] + 1;
		if (n == 3)
			write(1, "x", 1);
	}
}
EOF
	build gcc -O1 spin.c
	local pid
	"$SNAG" run ./prog >out 2>err &
	pid=$!
	until [ -s out ]; do sleep 0.1; done
	kill -INT $pid
	wait $pid || [ $? = 66 ]
	grep -q "^snag: interrupted; there is a race" err
}

@test "SIGINT to a program that never ends, and takes locks" {
	cat >never.c <<'EOF'
#include <unistd.h>
int size;
volatile int forever = 1;
int main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		for (int n = 0; forever; n++) {
#pragma omp critical(one)
			size += size < 10;
			if (n == 100000)
				write(1, "x", 1);
		}
#pragma omp section
		while (forever) {
#pragma omp critical(other)
			size -= size > 0;
		}
	}
}
EOF
	build clang -O1 never.c
	local how pid
	for how in --once --seed=1; do # the latter is the default
		rm -f out
		"$SNAG" run $how ./prog >out 2>err.$how &
		pid=$!
		until [ -s out ]; do sleep 0.1; done
		kill -INT $pid
		wait $pid || [ $? = 66 ] || [ $how != --once ]
	done
	grep -q "Location is global 'size'" err.--once
	grep -q "^snag: interrupted; with its locks" err.--seed=1
}

@test "what cannot be compiled" {
	echo 'int main(void) { return x; }' >bad.c
	run env SNAG_CC=clang "$SNAG" cc -fopenmp bad.c -o prog
	[ "$status" = 1 ]
	grep -q '^bad.c:1:' <<<"$output"
	run env SNAG_CC=clang "$SNAG" cc -fopenmp missing.c -o prog
	[ "$status" != 0 ]
}

@test "reports name iterations, sections, threads and depend clauses" {
	for cc in gcc clang; do
		build $cc -O1 "$root/tests/programs/omp_race_loop.c"
		run --separate-stderr "$SNAG" run ./prog
		grep -qE '^  Task [0-9]+ \(iteration [0-9]+ of a loop\) created by task [0-9]+ at:$' <<<"$stderr"
		grep -qE '^  Missing: iteration [0-9]+ of a loop \(task .*: no barrier comes between them$' <<<"$stderr"
		build $cc -O1 "$root/tests/programs/omp_race_sections.c"
		run --separate-stderr "$SNAG" run ./prog
		grep -qE '^  Task [0-9]+ \(section 1.*\) created by' <<<"$stderr"
		build $cc -O1 "$root/tests/programs/omp_race_depend.c"
		run --separate-stderr "$SNAG" run ./prog
		grep -qE '^  Task [0-9]+ \(depend\((in|out): [^ )]+\).*\) created by' <<<"$stderr"
		grep -qE '^    #[0-9] main .*omp_race_depend.c:[0-9]+' <<<"$stderr" # who met the region
		refute grep -qE '^    #.*/src/omp/' <<<"$stderr"
	done
}

@test "what keeps from a verdict for every schedule is said" {
	cat >asks.c <<-'END'
		#include <omp.h>
		int a[8], x, y, z;
		omp_lock_t lock;
		int main(void)
		{
			omp_init_lock(&lock);
		#pragma omp parallel num_threads(2)
			{
				a[omp_get_thread_num()] = omp_get_num_threads();
		#pragma omp for
				for (int i = 0; i < 8; i++)
				{
		#pragma omp cancel for if (i == 7)
		#pragma omp atomic
					x++;
		#pragma omp atomic
					x *= 2;
				}
				if (omp_test_lock(&lock))
					omp_unset_lock(&lock);
		#pragma omp critical(here)
				y = 2 * y + 1;
			}
		}
	END
	for cc in gcc clang; do
		build $cc -O0 asks.c
		OMP_CANCELLATION=true snags run ./prog
		[ "$status" = 0 ]
		for why in 'which thread runs a task (.*asks.c:9' 'how many threads there are (.*asks.c:9' \
			'cancels tasks, or asks whether it has (.*asks.c:13' 'whether a lock is free (.*asks.c:19' \
			'atomic accesses to x'; do
			grep -q "^snag: no race found, but .*$why" <<<"$stderr" || { echo "$cc: $why"; echo "$stderr"; false; }
		done
		# Otherwise snag runs every order of the critical sections.
		OMP_CANCELLATION=true snags run --no-replay ./prog
		[[ $stderr == *"lock critical(here) matters to y"* ]]
	done
}

@test "iterations that touch nothing shared are not recorded" {
	printf '%s\n' 'int main(void)' '{' 'double s = 0;' '#pragma omp parallel' '{' 'double own = 0;' \
		'#pragma omp for schedule(guided) nowait' 'for (int i = 0; i < 100; i++)' 'own += i;' \
		'#pragma omp critical' 's += own;' '}' 'return s != 4950;' '}' >prog.c
	for cc in gcc clang; do
		SNAG_CC=$cc "$SNAG" cc -g -O1 -fopenmp -o prog prog.c
		"$SNAG" record -o run.snag ./prog
		"$SNAG" info run.snag >out
		grep -qE '^ +async +4 ' out || { cat out; return 1; }
	done
}
