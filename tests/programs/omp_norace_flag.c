/* SPDX-License-Identifier: Apache-2.0
 *
 * One section waits for another: by a flag in a critical section, by an atomic one, and by
 * a lock taken before.
 * verdict: no race found
 */
#include <omp.h>

int data, flag, other, ready, shown;

int main(void)
{
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			int done = 0;
			while (!done) {
#pragma omp critical
				done = flag;
			}
			data++;
		}
#pragma omp section
		{
			data = 1;
#pragma omp critical
			flag = 1;
		}
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			int done = 0;
			while (!done) {
#pragma omp atomic read seq_cst
				done = ready;
			}
			shown++;
		}
#pragma omp section
		{
			shown = 1;
#pragma omp atomic write seq_cst
			ready = 1;
		}
	}
#pragma omp parallel num_threads(2)
	{
		int number = omp_get_thread_num();
		if (number == 0)
			omp_set_lock(&lock);
#pragma omp barrier
		if (number == 0)
			other = 1;
		else
			omp_set_lock(&lock);
		if (number == 1)
			other++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	return data != 2 || other != 2 || shown != 2;
}
