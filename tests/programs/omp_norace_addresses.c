/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependences are on addresses, whatever lies there: nothing, freed memory, half a number.
 * verdict: race-free for this input on every schedule
 */
#include <stdlib.h>
int main(void)
{
	int *null = NULL, n = 0, a[8] = {0};
	char *odd = (char *)a + 1;
	int *freed = malloc(4);
	free(freed);
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : *null) shared(n)
		n = 1;
#pragma omp task depend(inout : *null) shared(n)
		n++;
#pragma omp task depend(inout : *(int *)1, *(int *)-1L, *freed, *odd) shared(n) depend(in : *null)
		n++;
#pragma omp task depend(mutexinoutset                            \
			: *(long *)0xffff800000000000) depend(in \
							      : *(int *)-1L) shared(n)
		n++;
#pragma omp task depend(iterator(i = 0 : 8), out                                           \
			: a[i]) depend(inout                                               \
				       : null [0:4]) depend(in                             \
							    : *(long *)0xffff800000000000) \
	shared(n)
		n++;
	}
	return n != 5;
}
