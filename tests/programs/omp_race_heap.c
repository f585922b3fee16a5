/* SPDX-License-Identifier: Apache-2.0
 *
 * A buffer that one thread allocates, and all use.
 * race: heap
 */
#include <stdlib.h>

int *buffer;

int main(void)
{
#pragma omp parallel
	{
#pragma omp single
		buffer = malloc(sizeof(int));
#pragma omp for
		for (int i = 0; i < 8; i++)
			*buffer = i;
	}
	free(buffer);
	return 0;
}
