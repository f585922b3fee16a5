/* SPDX-License-Identifier: Apache-2.0
 *
 * One section waits for another: by a flag in a critical section, and by a lock taken before.
 * verdict: no race found
 */
#include <omp.h>

int data, flag, other;

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
	return data != 2 || other != 2;
}
