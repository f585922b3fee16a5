/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h - what the programs measured by bench/programs.py and bench/whole.py share
 *
 * Each is called as PROGRAM [-t THREADS] [SIZE], does its work with that many threads, checks
 * its own result and says so: exit status 0, or 1 where the result is wrong.
 */
#ifndef SNAG_BENCH_PROGRAM_H
#define SNAG_BENCH_PROGRAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROGRAM_THREADS = 64 };

static int n, nthreads = 2;

static inline void program_arguments(int argc, char **argv, int usual_size)
{
	int option;
	n = usual_size;
	while ((option = getopt(argc, argv, "t:")) == 't')
		nthreads = atoi(optarg);
	if (optind < argc)
		n = atoi(argv[optind++]);
	if (option != -1 || optind < argc || n < 1 || nthreads < 1 || nthreads > PROGRAM_THREADS) {
		fprintf(stderr, "usage: %s [-t THREADS] [SIZE]\n", argv[0]);
		exit(2);
	}
}

static inline void *program_array(size_t count, size_t size)
{
	void *array = calloc(count, size);
	if (!array) {
		perror("calloc");
		exit(2);
	}
	return array;
}

/* Calls `work` in each thread with its number, and waits for all. */
static inline void program_threads(void *(*work)(void *))
{
	pthread_t thread[PROGRAM_THREADS];
	for (long i = 0; i < nthreads; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i) != 0)
			exit(2);
	for (int i = 0; i < nthreads; i++)
		pthread_join(thread[i], NULL);
}

/* Where the share of a thread begins, of `count` things; it ends where the next one begins. */
static inline int program_share(int count, int thread)
{
	return (int)((long)count * thread / nthreads);
}

static inline unsigned program_random(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static inline int program_end(bool is_right)
{
	puts(is_right ? "right" : "WRONG");
	return is_right ? 0 : 1;
}

#endif
