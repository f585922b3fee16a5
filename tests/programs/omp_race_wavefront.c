/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that wait for each other by flags that are not atomic, and flushes, as the LU program of the
 * NAS benchmarks does.  The flags race, and so does what they guard; the program ends all the same,
 * with the right result: each look at a flag is one.
 * race: down
 * race: up
 * race: sum
 */
enum { ROWS = 16, PLANES = 6 };
static int down[ROWS], up[ROWS];
long sum[PLANES][ROWS];

void forth(int k);
void back(int k);

void forth(int k)
{
#pragma omp for nowait schedule(static)
	for (int j = 0; j < ROWS; j++) {
		if (j > 0)
			while (down[j - 1] == 0) {
#pragma omp flush
			}
		if (j < ROWS - 1)
			while (down[j] == 1) {
#pragma omp flush
			}
		sum[k][j] = (j ? sum[k][j - 1] : 1) + sum[k - 1][j];
		if (j < ROWS - 1)
			down[j] = 1;
		if (j)
			down[j - 1] = 0;
	}
}

void back(int k)
{
#pragma omp for nowait schedule(static)
	for (int j = ROWS - 1; j >= 0; j--) {
		if (j < ROWS - 1)
			while (up[j + 1] == 0) {
#pragma omp flush
			}
		if (j > 0)
			while (up[j] == 1) {
#pragma omp flush
			}
		sum[k][j] -= sum[k - 1][j];
		if (j < ROWS - 1)
			up[j + 1] = 0;
		if (j)
			up[j] = 1;
	}
}

int main(void)
{
#pragma omp parallel num_threads(4)
	for (int k = 1; k < PLANES; k++)
		forth(k);
#pragma omp parallel num_threads(4)
	for (int k = PLANES - 1; k > 0; k--)
		back(k);
	for (int k = 1; k < PLANES; k++)
		for (int j = 0; j < ROWS; j++)
			if (sum[k][j] != (k == 1 || j == 0 ? 1 : sum[k][j - 1] + sum[k - 1][j]))
				return 1;
	return 0;
}
