/* SPDX-License-Identifier: Apache-2.0
 *
 * A place for each thread, in a loop: the accesses of one thread there are in order.  A threadprivate variable
 * that the next region finds as the thread of that number left it, whichever thread ended first.
 * verdict: no race found, .*the program asks which thread runs a task
 */
#include <omp.h>

int part[64], kept;
#pragma omp threadprivate(kept)

int main(void)
{
	int sum = 0;
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		part[omp_get_thread_num()] += i;
	for (int i = 0; i < 64; i++)
		sum += part[i];
	int wrong = 0;
#pragma omp parallel copyin(kept) num_threads(4)
	{
		kept = omp_get_thread_num();
#pragma omp single
		wrong = 0;
	}
#pragma omp parallel reduction(+ : wrong) num_threads(4)
	wrong += kept != omp_get_thread_num();
	return sum != 4950 || wrong;
}
