/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner teams, serial regions, and regions with tasks that share what their thread has.
 * verdict: race-free for this input on every schedule
 */
int a[4][4], b[4];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 4; i++) {
		int sum = 0;
#pragma omp parallel for reduction(+ : sum)
		for (int j = 0; j < 4; j++) {
			a[i][j] = i + j;
			sum += a[i][j];
		}
#pragma omp parallel if (0)
		b[i] = sum;
#pragma omp task shared(sum)
		sum++;
#pragma omp taskwait
		b[i] = sum;
	}
	return b[3] != 19;
}
