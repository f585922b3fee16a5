/* SPDX-License-Identifier: Apache-2.0
 *
 * Two leagues at the same time: the second teams of both have nothing to do with each other, critical sections included.
 * race: global 'count'
 */
int count;

static void league(void)
{
#pragma omp target teams num_teams(2) map(tofrom : count)
	{
		int is_second = 0;
#pragma omp distribute dist_schedule(static, 1)
		for (int i = 0; i < 2; i++)
			is_second = i;
		if (is_second) {
#pragma omp parallel num_threads(2)
#pragma omp critical
			count++;
		}
	}
}

int main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		league();
#pragma omp section
		league();
	}
	return 0;
}
