/* SPDX-License-Identifier: Apache-2.0
 *
 * Collapsed loops whose inner bounds depend on the outer variables, some of them empty; with clauses,
 * pragmas, jumps and tasks inside, and twice in one region.
 * verdict: race-free for this input on every schedule
 */
enum { N = 12 };
int a[N][N], b[N][N];

static int is_right(int last, long sum)
{
	long want = 0;
	for (int i = 0; i < N; i++)
		for (int j = i + 1; j < N; j++)
			if (j != 5)
				want += j;
	return want == sum && last == (N - 2) * N + N - 1;
}

int main(void)
{
	int i, j, last = -1, n = N, scratch;
	long sum = 0;
#pragma omp parallel for collapse(2) lastprivate(last) reduction(+ : sum)
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++) {
			last = i * n + j;
			if (j == 5)
				continue;
			sum += j;
			a[i][j] = 1;
		}
	if (!is_right(last, sum))
		return 1;
#pragma omp parallel default(none) shared(a, b, n) private(scratch)
	{
#pragma omp for collapse(2) nowait
		for (int i = 0; i < n; i++)
			for (int j = 0; j <= i; j++)
#pragma omp task firstprivate(i, j)
				b[i][j] = i;
		scratch = 1;
#pragma omp barrier
#pragma omp for collapse(2)
		for (int i = 0; i < n; i++)
			for (int j = 0; j <= i; j++)
				if (j % 2)
					scratch = j, a[i][j] = scratch;
				else
					a[i][j] = b[i][j];
	}
	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++)
			if (a[i][j] != (j % 2 ? j : i))
				return 2;
	return 0;
}
