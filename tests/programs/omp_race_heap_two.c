/* SPDX-License-Identifier: Apache-2.0
 *
 * A buffer that one of two threads allocates, and both use.
 * race: heap
 */
#include <stdlib.h>

int *buffer;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		buffer = malloc(sizeof(int));
#pragma omp for
		for (int i = 0; i < 2; i++)
			*buffer = i;
	}
	free(buffer);
	return 0;
}
