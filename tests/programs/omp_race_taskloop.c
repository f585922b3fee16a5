/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a taskloop are parallel; those of one grain are not.
 * race: a
 */
int a[32];

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(4)
	for (int i = 1; i < 32; i++)
		a[i] = a[i - 1];
	return 0;
}
