/* SPDX-License-Identifier: Apache-2.0
 *
 * The master sets what the others may have added to already: no barrier in between.
 * race: sum
 */
int sum;

int main(void)
{
#pragma omp parallel
	{
#pragma omp master
		sum = 0;
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 10; i++)
			sum += i;
	}
	return 0;
}
