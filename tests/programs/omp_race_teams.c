/* SPDX-License-Identifier: Apache-2.0
 *
 * Two teams of a league are parallel: no barrier orders them, and critical is only about one team.
 * race: global 'met'
 */
int met, a[8], both;

int main(void)
{
#pragma omp teams num_teams(2)
	met++;
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
#pragma omp critical
	both++;
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : a)
	for (int i = 1; i < 8; i++)
		a[i] = a[i - 1];
	return 0;
}
