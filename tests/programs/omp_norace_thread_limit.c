/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_limit: regions of a team have one thread, so that nothing in them is parallel.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>

int n[4];

int main(void)
{
	omp_set_num_teams(4);
	omp_set_teams_thread_limit(3);
	if (omp_get_max_teams() != 4 || omp_get_teams_thread_limit() != 3)
		return 1;
#pragma omp teams distribute thread_limit(1)
	for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(8)
		n[i] += omp_get_thread_limit();
	}
#pragma omp teams distribute
	for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(8)
#pragma omp single
		n[i] += 10 * omp_get_thread_limit();
	}
	return n[0] != 31 || n[3] != 31;
}
