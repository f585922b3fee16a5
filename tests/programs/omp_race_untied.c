/* SPDX-License-Identifier: Apache-2.0
 *
 * An untied task goes on beside the tasks it created.
 * race: sum
 */
int sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task untied
		{
			for (int i = 0; i < 3; i++) {
#pragma omp task untied firstprivate(i)
				{
					if (i == 1)
						sum += i;
				}
			}
			sum++;
#pragma omp taskwait
		}
	}
	return sum == 0;
}
