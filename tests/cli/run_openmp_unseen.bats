#!/usr/bin/env bats
# snag run of programs that use OpenMP: where it cannot see everything, it says so.
load helper

build() { # COMPILER SOURCE WORD...
	local cc=$1 source=$2
	shift 2
	SNAG_CC=$cc "$SNAG" cc -O1 -g -w -fopenmp -o prog "$source" "$@"
}

says() { # WORDS of the verdict, for what ./prog $1 does
	local what=$1
	shift
	run --separate-stderr "$SNAG" run ./prog $what
	[ "$status" = 0 ] && [[ $stderr == "snag: "$*"" ]] || { echo "$what: $status $stderr"; return 1; }
}

ONE='no race found, but other schedules may have one: blocks for one thread each, with no barrier between them, all had the same thread'
TOGETHER='no race found, but other schedules may have one: iterations of a loop were judged together, not one by one'
FREE='race-free for this input on every schedule (the code as optimised)'

@test "teams with too few threads" {
	cat >few.c <<-'END'
		#include <stdlib.h>
		int x[9], a[16];
		static void many(int n)
		{
		#pragma omp parallel num_threads(n)
			for (int i = 0; i < 5; i++) {
		#pragma omp single nowait
				x[i] = 1;
			}
		}
		static void loop(int n)
		{
		#pragma omp parallel num_threads(n)
			{
		#pragma omp master
				x[0] = 1;
		#pragma omp single nowait
				x[1] = 1;
		#pragma omp for
				for (int i = 0; i < 16; i++)
					a[i] = i;
			}
		}
		static void masters(int n)
		{
		#pragma omp parallel num_threads(n)
			{
		#pragma omp single nowait
				x[0] = 1;
		#pragma omp single nowait
				x[1] = 1;
		#pragma omp master
				x[2] = 1;
			}
		}
		static void sections(int n)
		{
		#pragma omp parallel num_threads(n)
			{
		#pragma omp single nowait
				x[0] = 1;
		#pragma omp masked
				x[1] = 1;
		#pragma omp sections
				{
					a[0] = 1;
		#pragma omp section
					a[1] = 1;
				}
			}
		}
		static void ordered(int n)
		{
		#pragma omp parallel num_threads(n)
			{
		#pragma omp single nowait
				x[0] = 1;
		#pragma omp masked filter(0)
				x[1] = 1;
		#pragma omp for ordered schedule(dynamic)
				for (int i = 0; i < 16; i++) {
		#pragma omp ordered
					a[0] += i;
				}
			}
		}
		static void triangle(int n)
		{
		#pragma omp parallel num_threads(n)
			{
		#pragma omp master
				x[0] = 1;
		#pragma omp single nowait
				x[1] = 1;
		#pragma omp for collapse(2)
				for (int i = 0; i < 4; i++)
					for (int j = 0; j <= i; j++)
						a[4 * i + j] = i;
			}
		}
		int main(int argc, char **argv)
		{
			static void (*const test[])(int) = {many, loop, masters, sections, ordered, triangle};
			test[atoi(argv[1])](atoi(argv[2]));
			return 0;
		}
	END
	for cc in gcc clang; do
		build $cc few.c
		says "0 4" "$ONE ("*"few.c:"*")"
		says "0 5" "$FREE"
		for k in 1 2 3 4 5; do
			says "$k 2" "$ONE ("*"few.c:"*")"
			[ $cc$k = gcc5 ] || says "$k 3" "$FREE"
		done
	done
}

@test "files that were compiled otherwise" {
	cat >loops.c <<-'END'
		void loops(int n, int *a);
		void loops(int n, int *a)
		{
		#pragma omp parallel num_threads(2)
			{
		#pragma omp for schedule(static)
				for (int i = 0; i < n; i++)
					a[i]++;
			}
		}
	END
	cat >chunks.c <<-'END'
		void loops(int n, int *a);
		void loops(int n, int *a)
		{
		#pragma omp parallel for num_threads(2) schedule(static, 2)
			for (int i = 0; i < n; i++)
				a[i]++;
		}
	END
	cat >sections.c <<-'END'
		void loops(int n, int *a);
		void loops(int n, int *a)
		{
		#pragma omp parallel sections num_threads(n)
			{
				a[0]++;
		#pragma omp section
				a[1]++;
		#pragma omp section
				a[2]++;
			}
		}
	END
	cat >twice.c <<-'END'
		#include <stdio.h>
		void loops(int n, int *a);
		static int x;
		void loops(int n, int *a)
		{
		#pragma omp parallel num_threads(4)
			{
		#pragma omp for schedule(static) nowait
				for (int i = 0; i < n; i++)
					a[i] = i;
		#pragma omp single nowait
				x = 1;
		#pragma omp for schedule(static)
				for (int i = 0; i < n; i++)
					a[i] *= 2;
			}
			for (int i = 0; i < n; i++)
				if (a[i] != 2 * i)
					puts("wrong");
		}
	END
	cat >main.c <<-'END'
		#include <stdlib.h>
		int a[16];
		void loops(int n, int *a);
		int main(int argc, char **argv)
		{
			loops(atoi(argv[1]), a);
			return 0;
		}
	END
	local n
	for source in loops chunks sections; do
		clang -O1 -g -fopenmp -fsanitize=thread -c $source.c -o other.o
		build clang main.c other.o
		n=2
		[ $source = loops ] || n=4
		[ $source = chunks ] && says 5 "$TOGETHER ("*")"
		[ $source = loops ] && says 3 "$TOGETHER ("*")"
		[ $source = sections ] && says 2 "$TOGETHER ("*")"
		says $n "$FREE"
	done
	clang -O1 -g -fopenmp -fsanitize=thread -c twice.c -o other.o # blocks stay where they are
	build clang main.c other.o
	run --separate-stderr "$SNAG" run ./prog 16
	[ "$output" = "" ]
	gcc -O1 -g -fopenmp -fsanitize=thread -c loops.c -o other.o
	build gcc main.c other.o
	says 4 "no race found, but "*"which thread runs a task ("*
}

@test "master blocks of a gcc that knows no masked" {
	cat >master.c <<-'END'
		int x, a[16];
		int main(void)
		{
		#pragma omp parallel
			{
		#pragma omp master
				x++;
		#pragma omp for
				for (int i = 0; i < 16; i++)
					a[i] = i;
			}
			return x != 1;
		}
	END
	printf '%s\n' '#!/bin/sh' '[ "$1" = -dumpversion ] && echo 11 && exit' 'exec gcc "$@"' >old-gcc
	chmod +x old-gcc
	build ./old-gcc master.c
	./prog
	says "" "no race found, but "*"which thread runs a task ("*
	build gcc master.c
	says "" "$FREE"
}

@test "loops that are left to the compiler" {
	cat >left.c <<-'END'
		#include <stdlib.h>
		int a[64], b[64];
		static void ordered(void)
		{
		#pragma omp simd
			for (int i = 0; i < 16; i++) {
				a[i]++;
		#pragma omp ordered simd
				b[0]++;
			}
		}
		static void triangle(void)
		{
		#pragma omp simd safelen(2) collapse(2)
			for (int i = 0; i < 8; i++)
				for (int j = 0; j <= i; j++)
					a[8 * i + j]++;
		}
		static void scan(void) /* sets what it should add to */
		{
			int set = 0, later = 0;
		#pragma omp parallel for reduction(inscan, + : set)
			for (int i = 0; i < 16; i++) {
				set = i;
		#pragma omp scan inclusive(set)
				a[i] = set;
			}
		#ifndef __clang__ /* 14 needs -lm, and leaves the sums as they were */
		#pragma omp parallel for reduction(inscan, + : later)
			for (int i = 0; i < 16; i++) {
				b[i] = later;
		#pragma omp scan exclusive(later)
				{
					int *to = &later;
					*to = i;
				}
			}
			for (int i = 0; i < 16; i++)
				if (a[i] != i * (i + 1) / 2 || b[i] != i * (i - 1) / 2)
					exit(1);
		#endif
		}
		static void linear(void)
		{
			int k = 0;
		#pragma omp teams num_teams(2)
		#pragma omp distribute simd linear(k)
			for (k = 0; k < 16; k++)
				if (k)
					b[k]++;
				else
					b[0] = 0;
		}
		int main(int argc, char **argv)
		{
			switch (atoi(argv[1])) {
			case 0: ordered(); break;
			case 1: triangle(); break;
			case 2: scan(); break;
			case 3: linear(); break;
			}
		#pragma omp parallel for
			for (int i = 0; i < 4; i++)
				a[i] = i;
			return 0;
		}
	END
	for cc in gcc clang; do
		build $cc left.c
		for k in 0 1 2 3; do
			SNAG_OPTIONS=observe=0 ./prog $k
			says $k "$TOGETHER"*" ("*"left.c:"*")"
		done
		says 4 "$FREE"
	done
}

@test "schedule(auto)" {
	cat >auto.c <<-'END'
		int a[64];
		int main(int argc, char **argv)
		{
		#pragma omp parallel for schedule(auto)
			for (int i = 1; i < 64; i++)
				if (argc == 1 || i == 2)
					a[i] = argc > 1 ? a[1] : 1;
				else if (i == 1)
					a[i] = 2;
			return 0;
		}
	END
	for cc in gcc clang; do
		build $cc auto.c
		says "" "$FREE"
		run --separate-stderr "$SNAG" run ./prog x
		[ "$status" = 66 ]
	done
}

@test "all iterations of a triangle are told apart" {
	cat >triangle.c <<-'END'
		#include <stdlib.h>
		char a[1024 * 1024];
		int main(int argc, char **argv)
		{
			int n = atoi(argv[1]);
		#pragma omp parallel for collapse(2) num_threads(2)
			for (int i = 0; i < n; i++)
				for (int j = 0; j <= i; j++)
					a[i * n + j] = 1;
			return 0;
		}
	END
	for cc in gcc clang; do
		build $cc triangle.c
		says 64 "$FREE"
		says 512 "$FREE"
	done
}

@test "a triangle whose number of loops is an expression" {
	cat >depth.c <<-'END'
		#include <stdlib.h>
		enum { ONE = 1, DEPTH = 2 };
		int a[16][16];
		int main(int argc, char **argv)
		{
			if (argc > 1)
		#pragma omp parallel for collapse(ONE + ONE)
				for (int i = 0; i < 16; i++)
					for (int j = 0; j <= i; j++)
						a[i][j] = 1;
			else
		#pragma omp parallel for collapse(DEPTH)
				for (int i = 0; i < 16; i++)
					for (int j = 0; j <= i; j++)
						a[i][j] = 1;
			return 0;
		}
	END
	for cc in gcc clang; do
		build $cc depth.c
		says "" "$FREE"
		says "expression" "$TOGETHER"*
	done
}

@test "a recording puts iterations behind two million together, unless it is to show a race" {
	cat >many.c <<-'END'
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			long n = 2200000;
			char *a = calloc((size_t)n + 1, 1);
		#pragma omp parallel for
			for (long i = 0; i < n; i++) {
				a[i] = 1;
				if (argc > 1 && i == n - 4)
					a[i + 1] = 2;
			}
			return 0;
		}
	END
	build gcc many.c
	says "" "$FREE"
	run "$SNAG" run --once ./prog
	[[ $output == "snag: $TOGETHER ("*"many.c:"*")" ]]
	SNAG_OPTIONS=apart=1 run "$SNAG" run --once ./prog
	[[ $output == "snag: $FREE" ]]
	run "$SNAG" run ./prog race
	[ "$status" = 66 ]
	[[ $output == *"many.c:10:"* ]]
}
