/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread sets inside of a region is for the regions that it meets there, not for later ones outside; what a task
 * sets is for its own.
 * race: global 'x'
 */
#include <omp.h>

int x, a[4];

int main(void)
{
	omp_sched_t kind;
	int chunk;
#pragma omp parallel num_threads(4)
	{
		omp_set_num_threads(1);
		omp_set_max_active_levels(1);
		omp_set_schedule(omp_sched_guided, 7);
#pragma omp task if (0)
		omp_set_num_threads(3);
#pragma omp for
		for (int i = 0; i < 4; i++) {
			int n = 0;
#pragma omp parallel
			n++;
			a[i] = n;
		}
	}
	omp_get_schedule(&kind, &chunk);
	if (a[3] != 1 || omp_get_max_threads() != 4 || kind != omp_sched_static || chunk != 0)
		return 1;
#pragma omp parallel
	x++;
	return 0;
}
