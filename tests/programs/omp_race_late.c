/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterations race behind a hundred thousand that do not: of a loop, of one that touched nothing shared
 * before, of loops whose bounds depend on each other, of a taskloop.
 * race: a
 * race: b
 * race: c
 * race: d
 */
enum { N = 200000, SIDE = 500, TASKS = 10000 };
int a[N + 1], b[2], c[SIDE][SIDE], d[TASKS + 1];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		a[i] = i;
		if (i == N - 1000)
			a[i + 1] = 3;
	}
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		if (i == N - 1000 || i == N - 996)
			b[0] = i;
#pragma omp parallel for collapse(2)
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j <= i; j++)
			c[i][j] = 1 + (i == SIDE - 1 && j == i ? c[i][j - 1] : 0);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(64)
	for (int i = 0; i < TASKS; i++) {
		d[i] = i;
		if (i == TASKS / 2)
			d[i + 1] = 3;
	}
	return 0;
}
