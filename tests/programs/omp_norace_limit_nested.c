/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_limit counts all threads of a team's regions: where two are in use, there is none left for a region inside.
 * verdict: race-free for this input on every schedule
 */
int a[2][2];

int main(void)
{
#pragma omp teams distribute num_teams(2) thread_limit(2)
	for (int i = 0; i < 2; i++) {
#pragma omp parallel for num_threads(2)
		for (int k = 0; k < 2; k++) {
			int alone = 0;
#pragma omp parallel num_threads(2)
			a[i][k] = ++alone;
		}
	}
	return 0;
}
