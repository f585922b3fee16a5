/* SPDX-License-Identifier: Apache-2.0
 *
 * A private buffer of each thread in its iterations, while a task that it did not wait for uses a
 * variable on its stack.
 * verdict: race-free for this input on every schedule
 */
#include <stdlib.h>

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int mine = 1;
		int *buffer = malloc(16 * sizeof(int));
#pragma omp task shared(mine)
		mine = 2;
#pragma omp for
		for (int i = 0; i < 4; i++) {
			buffer[0] = i;
			buffer[0]++;
		}
		free(buffer);
	}
	return 0;
}
