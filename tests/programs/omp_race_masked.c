/* SPDX-License-Identifier: Apache-2.0
 *
 * Combined directives with masked: tasks of one thread race.
 * race: a
 * race: b
 * race: x
 */
int a[64], b[64], x;

int main(void)
{
#pragma omp parallel masked taskloop num_threads(2)
	for (int i = 1; i < 64; i++)
		a[i] = a[i - 1] + 1;
#pragma omp parallel
	{
#pragma omp masked taskloop simd
		for (int i = 1; i < 64; i++)
			b[i] = b[i - 1] + 1;
	}
#pragma omp parallel masked
	{
#pragma omp task
		x++;
		x++;
	}
	return 0;
}
