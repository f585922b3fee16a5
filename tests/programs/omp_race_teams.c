/* SPDX-License-Identifier: Apache-2.0
 *
 * Two teams of a league are parallel, and no barrier orders them.
 * race: global 'met'
 */
int met, a[8];

int main(void)
{
#pragma omp teams num_teams(2)
	met++;
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : a)
	for (int i = 1; i < 8; i++)
		a[i] = a[i - 1];
	return 0;
}
