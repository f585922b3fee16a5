/* SPDX-License-Identifier: Apache-2.0
 *
 * Who gives a lock and takes it again mostly comes before the one that waits, but not always; if it always
 * did, thread 0 would wait for ever.
 * race: x
 */
#include <omp.h>

int x;

int main(void)
{
	omp_lock_t a, b;
	omp_init_lock(&a);
	omp_init_lock(&b);
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
		omp_set_lock(me ? &a : &b);
#pragma omp barrier
		if (me == 0) {
			omp_unset_lock(&b);
			omp_set_lock(&a);
			omp_unset_lock(&a);
			x = 1;
		} else {
			omp_set_lock(&b);
			for (int i = 0; i < 2; i++) {
				omp_unset_lock(&a);
				omp_set_lock(&a);
				x = 2;
			}
		}
#pragma omp barrier
	}
	return 0;
}
