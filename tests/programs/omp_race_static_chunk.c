/* SPDX-License-Identifier: Apache-2.0
 *
 * Two static loops, one of which says its chunk size: the same iteration may be on two threads.
 * race: a
 */
int a[8];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 8; i++)
			a[i] = i;
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 8; i++)
			a[i]++;
	}
	return 0;
}
