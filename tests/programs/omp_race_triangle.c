/* SPDX-License-Identifier: Apache-2.0
 *
 * Collapsed loops whose inner bounds depend on the outer variables: iterations of one thread's block race,
 * too.
 * race: a
 * race: b
 * race: c
 * race: d
 * race: e
 * race: f
 */
enum { N = 12, DEPTH = 2 };
int a[N][N], b[N][N], c[N][N][N], d[N][N], e[N][N], f[N][N];

int main(void)
{
	int i, j;
#pragma omp parallel for collapse(2)
	for (i = 0; i < N; i++)
		for (j = 1; j <= i; j++)
			if (i == 2 && j == 2)
				a[i][j] = a[i][j - 1] + 1;
			else
				a[i][j] = 1;
#pragma omp parallel
#pragma omp for collapse(2)
	for (int i = 0; i < N; i++) {
		for (int j = i + 1; j < N; j++) {
			b[i][j] = 1 + (i == 3 && j == N - 1 ? b[i][j - 1] : 0);
		}
	}
#pragma omp teams distribute parallel for collapse(3) num_teams(1)
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			for (int k = 0; k < j + 1; k++)
				c[i][j][k] = 1 + (i == 3 && j == 3 && k == 3 ? c[i][j][k - 1] : 0);
#pragma omp simd collapse(2)
	for (i = 0; i < N; i++)
		for (j = i; j < N; j++)
			d[i][j] = 1 + (i == 0 && j == 1 ? d[i][j - 1] : 0);
#pragma omp target parallel for simd collapse(2)
	for (i = 0; i < N; i++)
		for (j = i; j < N; j++)
			e[i][j] = 1 + (i == 0 && j == 1 ? e[i][j - 1] : 0);
#pragma omp parallel for collapse(DEPTH)
	for (i = 0; i < N; i++)
		for (j = i; j < N; j++)
			f[i][j] = 1 + (i == 0 && j == 1 ? f[i][j - 1] : 0);
	return 0;
}
