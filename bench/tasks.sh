#!/bin/sh
# Measures tasks: the depth-first executor, and the parallel runtime beside OpenMP's (libomp).
#
#   tasks.sh REPETITIONS COMMIT DIR      writes DIR/tasks.csv and DIR/task-runtimes.csv
#
# The runs of the two runtimes take turns, so that a busy machine is busy for both.  Loops are aligned: the
# same loop of the sort costs a fifth more where the compiler happens to put it badly.
set -eu
cd "$(dirname "$0")/.."
repetitions=$1 commit=$2 dir=$3

aligned="-falign-functions=64 -falign-loops=32"
# shellcheck disable=SC2086 # two words
clang -O2 $aligned -Iinclude bench/parallel.c build/libsnag_task.a -pthread -o "$dir/parallel"
# shellcheck disable=SC2086
clang -O2 $aligned -fopenmp bench/openmp.c -o "$dir/openmp"
echo "kernel,runtime,workers,repetitions,median,spread,cpu,commit" >"$dir/task-runtimes.csv"
for workers in 1 $(nproc); do
	for round in 1 2 3; do
		echo "tasks: $workers workers, round $round" >&2
		SNAG_WORKERS=$workers "$dir/parallel" -r "$repetitions" -C "$commit"
		OMP_NUM_THREADS=$workers "$dir/openmp" -r "$repetitions" -C "$commit"
	done
done >>"$dir/task-runtimes.csv"

echo "tasks: the depth-first executor" >&2
build/bench/tasks -r "$repetitions" -C "$commit" >"$dir/tasks.csv"
