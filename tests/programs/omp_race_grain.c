/* SPDX-License-Identifier: Apache-2.0
 *
 * grainsize(2) of five iterations may be two and three, or three and two; num_tasks(2) of four says
 * nothing of sizes.
 * race: a
 * race: b
 */
int a[5], b[4];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(2)
		for (int i = 0; i < 5; i++)
			if (i == 2 || i == 3)
				a[0]++;
#pragma omp taskloop num_tasks(2)
		for (int i = 0; i < 4; i++)
			if (i < 2)
				b[0]++;
	}
	return 0;
}
