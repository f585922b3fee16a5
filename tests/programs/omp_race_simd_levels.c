/* SPDX-License-Identifier: Apache-2.0
 *
 * No more regions of several threads are allowed inside: that says nothing of simd loops.
 * race: global 'last'
 */
#include <omp.h>

int last;

int main(void)
{
	omp_set_max_active_levels(1);
#pragma omp parallel
#pragma omp single
#pragma omp simd
	for (int i = 0; i < 8; i++)
		last = i;
	return 0;
}
