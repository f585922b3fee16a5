/* SPDX-License-Identifier: Apache-2.0
 *
 * A private buffer of each thread, which it lends to tasks in its iterations and waits for them.
 * verdict: race-free for this input on every schedule
 */
#include <stdlib.h>

int out[16];

int main(void)
{
#pragma omp parallel
	{
		int *buffer = malloc(4 * sizeof(int));
#pragma omp for
		for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(buffer)
			buffer[0] = i;
#pragma omp task shared(buffer)
			buffer[1] = 1;
#pragma omp taskwait
			out[i] = buffer[0] + buffer[1];
			buffer[0] = 0;
		}
		free(buffer);
	}
	for (int i = 0; i < 16; i++)
		if (out[i] != i + 1)
			return 1;
	return 0;
}
