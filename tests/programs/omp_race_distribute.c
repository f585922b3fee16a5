/* SPDX-License-Identifier: Apache-2.0
 *
 * What teams do after their parts of a loop is parallel, as what they do before.
 * race: global 'before'
 * race: global 'after'
 * race: global 'later'
 */
int before, after, later, a[40];

int main(void)
{
#pragma omp teams num_teams(2)
	{
		before = 1;
#pragma omp distribute
		for (int i = 0; i < 40; i++)
			a[i] = i;
		after = 1;
#pragma omp distribute parallel for
		for (int i = 0; i < 40; i++)
			a[i] = i;
		later = 1;
	}
	return 0;
}
