/* SPDX-License-Identifier: Apache-2.0
 *
 * A block whose address the C library stores, unseen: a race, but only said to be possible.
 * verdict: no race found, but other schedules may have one: private memory of a thread became known to others
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

char *text;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		if (asprintf(&text, "%d", 42) < 0)
			abort();
#pragma omp for
		for (int i = 0; i < 2; i++)
			text[0] = (char)('0' + i);
	}
	free(text);
	return 0;
}
