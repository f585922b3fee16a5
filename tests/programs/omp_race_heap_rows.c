/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that iterations of one loop allocate; those of another that share a row are on the thread that did.
 * race: heap
 */
#include <stdlib.h>

int *rows[4];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 4; i++)
			rows[i] = malloc(sizeof(int));
#pragma omp for
		for (int i = 0; i < 16; i++)
			*rows[i % 4] = i;
	}
	return 0;
}
