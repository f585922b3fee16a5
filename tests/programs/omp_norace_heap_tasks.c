/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers of an iteration, and variables on its stack, that tasks and regions inside of it use, too.
 * verdict: race-free for this input on every schedule
 */
#include <stdlib.h>

long sums[16];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 16; i++) {
		long *half = malloc(2 * sizeof(long)), other = 0;
		half[0] = i;
#pragma omp task shared(other, half)
		other = half[0];
#pragma omp task firstprivate(half)
		half[1] = i + 1;
#pragma omp taskwait
#pragma omp parallel for num_threads(2)
		for (int k = 0; k < 2; k++)
			half[k] += 1;
		sums[i] = half[0] + half[1] + other;
		free(half);
	}
	for (int i = 0; i < 16; i++)
		if (sums[i] != 3 * i + 3)
			return 1;
	return 0;
}
