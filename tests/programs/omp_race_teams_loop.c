/* SPDX-License-Identifier: Apache-2.0
 *
 * The iterations of a loop directive that binds to teams are parallel, not only the teams.
 * race: late
 */
enum { N = 64 };
static int early[N], late[N], sum;

int main(void)
{
#pragma omp teams loop reduction(+ : sum) num_teams(2)
	for (int i = 1; i < N; i++) {
		early[i] = i;
		sum += early[i];
	}
#pragma omp target teams loop collapse(2) order(concurrent)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			early[8 * i + j]++;
#pragma omp teams
#pragma omp loop bind(teams)
	for (int i = 1; i < N; i++)
		late[i] = late[i - 1] + early[i];
	return sum != N * (N - 1) / 2;
}
