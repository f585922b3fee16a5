/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterations of a loop with inscan that use what others write: in the same phase, and in the other one,
 * which is only in order for the variables of the clause.
 * race: given
 * race: taken
 * race: shared
 * race: behind
 * race: ahead
 * race: of_simd
 */
enum { N = 64 };

int a[N], b[N], c[N], given[N + 1], taken[N + 1], shared, behind[N + 1], ahead[N + 1],
	of_simd[N + 1];

int main(void)
{
	int sum = 0, before = 0, both = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel for reduction(inscan, + : sum)
	for (int i = 0; i < N; i++) {
		sum += a[i];
		given[i + 1] = given[i];
		ahead[i] = i;
#pragma omp scan inclusive(sum)
		b[i] = sum + ahead[i + 1];
		taken[i] = taken[i + 1] + b[i];
	}
#pragma omp parallel
#pragma omp for reduction(inscan, + : before)
	for (int i = 0; i < N; i++) {
		c[i] = before;
		behind[i + 1] = i;
#pragma omp scan exclusive(before)
		before += a[i] + behind[i];
		shared = i;
	}
#pragma omp simd reduction(inscan, + : both)
	for (int i = 0; i < N; i++) {
		both += a[i];
		of_simd[i] = i;
#pragma omp scan inclusive(both)
		c[i] = both + of_simd[i + 1];
	}
	return 0;
}
