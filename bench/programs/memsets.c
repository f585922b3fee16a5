/* SPDX-License-Identifier: Apache-2.0
 *
 * memsets.c - two threads set blocks of memory, each thread its own block, three times
 *
 * Measures what one access to many bytes costs. SIZE is in megabytes.
 */
#include "program.h"

#include <string.h>

enum { TIMES = 3 };

static unsigned char *block[PROGRAM_THREADS];
static size_t nbytes;

static void *set(void *arg)
{
	long me = (long)arg;
	for (int i = 1; i <= TIMES; i++) {
		memset(block[me], i, nbytes);
		__asm__ volatile(
			"" ::
				: "memory"); /* keeps the compiler from dropping all but the last */
	}
	return NULL;
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 8);
	nbytes = (size_t)n << 20;
	for (int i = 0; i < nthreads; i++)
		block[i] = program_array(nbytes, 1);
	program_threads(set);
	bool is_right = true;
	for (int i = 0; i < nthreads; i++)
		is_right = is_right && block[i][0] == TIMES && block[i][nbytes - 1] == TIMES;
	return program_end(is_right);
}
