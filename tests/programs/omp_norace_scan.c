/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefix sums: inclusive, exclusive, with simd.  What the sum is behind the loop is not looked at: clang 14
 * forgets it, and where the loop is not combined with its region it computes another one.
 * verdict: race-free for this input on every schedule
 */
enum { N = 64 };

int a[N], b[N], c[N], d[N], twice[N];

int main(void)
{
	int sum = 0, before = 0, both = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel for reduction(inscan, + : sum)
	for (int i = 0; i < N; i++) {
		sum += a[i];
#pragma omp scan inclusive(sum)
		b[i] = sum;
		twice[i] = 2 * b[i];
	}
#pragma omp parallel for reduction(inscan, + : before)
	for (int i = 0; i < N; i++) {
		c[i] = before;
#pragma omp scan exclusive(before)
		before += a[i];
	}
#pragma omp parallel for simd reduction(inscan, + : both)
	for (int i = 0; i < N; i++) {
		both += a[i];
#pragma omp scan inclusive(both)
		d[i] = both;
	}
	for (int i = 0; i < N; i++)
		if (b[i] != i * (i + 1) / 2 || c[i] != i * (i - 1) / 2 || d[i] != b[i] ||
		    twice[i] != 2 * b[i])
			return 1;
	return 0;
}
