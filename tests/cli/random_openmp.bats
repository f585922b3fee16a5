#!/usr/bin/env bats
# Random OpenMP programs, judged by snag run and by the specification (tests/omp/check.py); scripts/oracle_openmp.sh runs more.
load helper

programs=25
if is_sanitized; then programs=8; fi

check() { # FLAGS...
	"$root/tests/omp/check.py" "$@" --programs $programs "$SNAG" 20261116
}

@test "what races by the specification is what snag finds: gcc" {
	check --cc gcc --level=-O1
}

@test "what races by the specification is what snag finds: clang" {
	check --cc clang --level=-O2 --first 25
}
