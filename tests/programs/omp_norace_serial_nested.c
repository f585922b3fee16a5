/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions of one thread inside of iterations and teams: their variables are on the stack of who met them, and the
 * next iteration has the same place.
 * verdict: race-free for this input on every schedule
 */
enum { N = 40 };

int sum[N], met[3];

static void use(int *local, int i)
{
	for (int k = 0; k < 4; k++)
		local[k] = i + k;
	sum[i] = local[3];
}

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
#pragma omp parallel num_threads(1)
		{
			int local[4];
			use(local, i);
		}
	}
#pragma omp teams distribute num_teams(3)
	for (int i = 0; i < 3; i++) {
		int local[4];
#pragma omp parallel if (0)
		use(local, i);
		met[i] = local[0];
	}
	return sum[N - 1] != N + 2 || met[2] != 2;
}
