/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that one side does not take.
 * race: x
 */
#include <omp.h>

int x;

int main(void)
{
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			omp_set_lock(&lock);
			x++;
			omp_unset_lock(&lock);
		}
#pragma omp section
		x++;
	}
	omp_destroy_lock(&lock);
	return 0;
}
