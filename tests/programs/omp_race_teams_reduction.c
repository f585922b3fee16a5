/* SPDX-License-Identifier: Apache-2.0
 *
 * Teams do not wait for each other when they combine a reduction.
 * race: global 'last'
 * race: global 'later'
 */
int last, later, sum;

int main(void)
{
#pragma omp teams num_teams(2) reduction(+ : sum)
	{
		last = sum;
		sum++;
#pragma omp parallel num_threads(1)
		later = 1;
	}
	return 0;
}
