/* SPDX-License-Identifier: Apache-2.0
 *
 * A task that meets a region has its frame above that of the region's thread, on one stack: the next
 * task there has all of it anew.
 * verdict: race-free for this input on every schedule
 */
static char at;

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp task default(shared)
	{
#pragma omp parallel num_threads(4)
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < 4; i++)
#pragma omp taskloop num_tasks(2)
			for (int k = 0; k < 4; k++)
				;
#pragma omp taskwait depend(inout : at)
	}
	return 0;
}
