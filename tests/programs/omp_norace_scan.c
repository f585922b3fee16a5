/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefix sums: inclusive, exclusive, with simd, of two variables, with a private copy of an array; what
 * an iteration has before `scan` it may use behind it.
 * verdict: race-free for this input on every schedule
 */
enum { N = 64 };

int a[N], b[N], c[N], d[N], e[N], twice[N];

static int last(int n)
{
	return n * (n - 1) / 2;
}

int main(void)
{
	int sum = 0, before = 0, both = 5, only = 0, most = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel for reduction(inscan, + : sum) reduction(inscan, max : most) default(none) \
	shared(a, b, twice)
	for (int i = 0; i < N; i++) {
		sum += a[i];
		most = most > a[N - 1 - i] ? most : a[N - 1 - i];
		twice[i] = 2 * i;
#pragma omp scan inclusive(sum, most)
		b[i] = sum;
		twice[i] += most - (N - 1);
	}
#pragma omp parallel
	{
#pragma omp for reduction(inscan, + : before) nowait
		for (int i = 0; i < N; i++) {
			c[i] = before;
#pragma omp scan exclusive(before)
			before += a[i];
		}
	}
#pragma omp parallel for simd reduction(inscan, + : both)
	for (int i = 0; i < N; i++) {
		both += a[i];
#pragma omp scan inclusive(both)
		d[i] = both;
	}
#pragma omp simd reduction(inscan, + : only)
	for (int i = 0; i < N; i++) {
		only += a[i];
#pragma omp scan inclusive(only)
		e[i] = only;
	}
	for (int i = 0; i < N; i++)
		if (b[i] != last(i + 1) || c[i] != last(i) || d[i] != b[i] + 5 || e[i] != b[i] ||
		    twice[i] != 2 * i)
			return 1;
	return sum != last(N) || before != last(N) || both != last(N) + 5 || only != last(N) ||
	       most != N - 1;
}
