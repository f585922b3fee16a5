/* SPDX-License-Identifier: Apache-2.0
 *
 * Critical sections, locks that nest and that do not, atomics.
 * verdict: no race found
 */
#include <omp.h>

int count, deep, plain, bits;

int main(void)
{
	omp_lock_t lock;
	omp_nest_lock_t nest;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel for
	for (int i = 0; i < 20; i++) {
#pragma omp critical
		count++;
		omp_set_lock(&lock);
		plain++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		deep++;
		omp_unset_nest_lock(&nest);
		deep++;
		omp_unset_nest_lock(&nest);
#pragma omp atomic
		bits |= 1 << i;
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	return count != 20 || plain != 20 || deep != 40 || bits != (1 << 20) - 1;
}
