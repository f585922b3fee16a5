/* SPDX-License-Identifier: Apache-2.0
 *
 * Ordered regions, and iterations that wait for others (doacross).
 * verdict: race-free for this input on every schedule
 */
int sum, a[6][6];

int main(void)
{
#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 0; i < 10; i++) {
#pragma omp ordered
		sum = sum * 2 + i;
	}
#pragma omp parallel for ordered(2)
	for (int i = 1; i < 6; i++)
		for (int j = 1; j < 6; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			a[i][j] = 1 + a[i - 1][j] + a[i][j - 1];
#pragma omp ordered depend(source)
		}
	return sum != 1013 || a[2][2] != 5;
}
