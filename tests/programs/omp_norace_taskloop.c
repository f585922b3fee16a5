/* SPDX-License-Identifier: Apache-2.0
 *
 * Taskloops, with grains and with a reduction; a reduction of a taskgroup.
 * verdict: race-free for this input on every schedule
 */
int a[32];

int main(void)
{
	int sum = 0, count = 0;
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(31)
		for (int i = 1; i < 32; i++)
			a[i] = a[i - 1] + 1;
#pragma omp taskloop reduction(+ : sum)
		for (int i = 0; i < 32; i++)
			sum += a[i];
#pragma omp taskgroup task_reduction(+ : count)
		for (int i = 0; i < 5; i++)
#pragma omp task in_reduction(+ : count)
			count++;
	}
	return sum != 496 || count != 5;
}
