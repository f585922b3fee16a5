/* SPDX-License-Identifier: Apache-2.0
 *
 * Private variables that tasks use while their threads have iterations, in the second of two regions inside of
 * another one: a race, but only said to be possible.
 * verdict: no race found, but other schedules may have one: private memory of a thread became known to others
 */
static void inside(int is_second)
{
#pragma omp parallel num_threads(2)
	{
		int mine = 1;
#pragma omp task shared(mine)
		mine = 2;
		if (!is_second) {
#pragma omp taskwait
			mine = 3;
		} else {
#pragma omp for
			for (int i = 0; i < 4; i++)
				mine++;
		}
	}
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		inside(0);
#pragma omp single
		inside(1);
	}
	return 0;
}
