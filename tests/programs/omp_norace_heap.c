/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers that each thread allocates, and enlarges, for its iterations.
 * verdict: \(no race found\|race-free\)
 */
#include <stdlib.h>

int total;

int main(void)
{
#pragma omp parallel
	{
		int *scratch = malloc(4 * sizeof(int)), *list = NULL, n = 0;
#pragma omp for nowait
		for (int i = 0; i < 100; i++) {
			scratch[i % 4] = i;
			list = realloc(list, (size_t)(n + 1) * sizeof(*list));
			list[n++] = scratch[i % 4];
		}
#pragma omp critical
		for (int i = 0; i < n; i++)
			total += list[i];
		free(scratch);
		free(list);
	}
	return total != 4950;
}
