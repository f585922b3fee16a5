#!/usr/bin/env bats
# `snag fc`: gfortran with OpenMP and without.
load helper

programs=$BATS_TEST_DIRNAME/../programs/fortran

# built NAME WORDS...: compiles a program of this folder.
built() {
	snag fc -g -O0 "${@:2}" -o prog "$programs/$1"
}

@test "fc: races in module variables, common blocks, arrays, simd loops and I/O" {
	built races.f90 -fopenmp
	run --separate-stderr snag run --json r.json ./prog
	[ "$status" -eq 66 ]
	for line in 21 22 27 33; do
		grep -q "races.f90:$line:" <<<"$stderr" || { echo "$stderr"; echo "no report names line $line"; return 1; }
	done
	grep -q "Location is global 'state::total'" <<<"$stderr"
	grep -q "Location is global 'counts_'" <<<"$stderr" # the common block
	refute grep -q "called 'line'" <<<"$stderr" # a column of gfortran's is in no name
	refute grep -q "/snag\.[^ ]*/races" <<<"$stderr"
}

@test "fc: I/O, reductions and array sections in loops are race-free, on every schedule" {
	for level in -O0 -O2; do
		snag fc -g $level -fopenmp -o prog "$programs/clean.f90"
		run --separate-stderr snag run ./prog
		[ "$status" -eq 0 ]
		[[ "$stderr" == *"race-free for this input on every schedule"* ]] || { echo "$level: $stderr"; return 1; }
		run --separate-stderr bash -c '"$1" run ./prog | cat' bash "$SNAG" # units are flushed to pipes
		[[ "$stderr" == *"race-free for this input on every schedule"* ]] || { echo "$level, pipe: $stderr"; return 1; }
	done
}

@test "fc: the variable of a simd loop is private in the construct around it" {
	for level in -O0 -O2; do
		snag fc -g $level -fopenmp -o prog "$programs/iterators.f90"
		run --separate-stderr snag run ./prog
		[ "$status" -eq 0 ] || { echo "$level: $stderr"; return 1; }
		read -r sums after a <<<"$output"
		[ "$sums $after $a" = "480 180 32" ]
		[[ "$stderr" == *"race-free for this input on every schedule"* ]] || { echo "$level: $stderr"; return 1; }
	done
	# unless a clause says something else
	sed 's/do reduction(+:sums, after)/do reduction(+:sums, after) shared(j, l)/' "$programs/iterators.f90" >shared.f90
	snag fc -g -fopenmp -o prog shared.f90
	run --separate-stderr snag run ./prog
	[ "$status" -eq 66 ]
	[[ "$stderr" == *"shared.f90:47:"* ]]
}

@test "fc: fixed form" {
	built fixed.f -fopenmp
	run --separate-stderr snag run ./prog
	[ "$status" -eq 66 ]
	[[ "$stderr" == *"fixed.f:15:"* ]]
	[[ "$stderr" != *"fixed.f:10:"* ]]
}

@test "fc: what the compiler says is about the source" {
	printf 'program p\n  integer :: i\n  !$omp parallel do\n  do i = 1, 3\n    j = = 1\n  end do\nend program\n' >bad.f90
	run snag fc -fopenmp -c bad.f90
	[ "$status" -eq 1 ]
	[[ "$output" == *"bad.f90:5:"* ]]
	[[ "$output" != *"/tmp/snag."* ]]
	[ ! -e bad.o ]
}

@test "fc: preprocessed sources, modules of other files, include lines" {
	printf 'module m\n  integer :: n = 0\ncontains\n  subroutine add()\n    !$omp critical\n    n = n + 1\n    !$omp end critical\n  end subroutine\nend module\n' >m.f90
	printf '#define TIMES 10\nprogram p\n  use m\n  include "decl.inc"\n  !$omp parallel do\n  do i = 1, TIMES\n    call add()\n    k = i\n  end do\n  print *, n\nend program\n' >p.F90
	printf '  integer :: i, k\n' >decl.inc
	snag fc -g -fopenmp -c m.f90
	[ -e m.mod ] && [ ! -e snag_omp.mod ]
	snag fc -g -fopenmp -c p.F90
	snag fc -fopenmp -o prog p.o m.o
	run --separate-stderr snag run ./prog
	[ "$status" -eq 66 ]
	[[ "$output" == *10* ]]
	[[ "$stderr" == *"p.F90:8:"* ]]
	[[ "$stderr" != *"m.f90:6:"*"data race"* ]]
}

@test "fc: a program of threads, linked from C and Fortran" {
	cat >main.c <<-'END'
		#include <pthread.h>
		void work(int);
		static void *run(void *arg) { work(1); return arg; }
		int main(void) {
			pthread_t t[2];
			for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, run, NULL);
			for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
		}
	END
	snag cc -g -c main.c
	snag fc -g -c -o work.o "$programs/threads.f90"
	snag fc -pthread -o prog main.o work.o
	run --separate-stderr snag run ./prog
	[ "$status" -eq 66 ]
	[[ "$stderr" == *"threads.f90:8:"* ]]
	[[ "$stderr" == *shared* ]]
}

@test "fc: one word, SNAG_FC, and options that only ask" {
	one=$(dirname "$(command -v "${SNAG:-snag}")")/snag-fc
	[ "$("$one" --version)" = "$(gfortran --version)" ]
	SNAG_FC=/nowhere run snag fc --version
	[ "$status" -eq 2 ]
	[[ "$output" == *"/nowhere"* ]]
}
