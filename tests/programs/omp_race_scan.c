/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterations of a loop with inscan that use what others of the same phase write.
 * race: given
 * race: taken
 * race: shared
 */
enum { N = 64 };

int a[N], b[N], c[N], given[N + 1], taken[N + 1], shared;

int main(void)
{
	int sum = 0, before = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel for reduction(inscan, + : sum)
	for (int i = 0; i < N; i++) {
		sum += a[i];
		given[i + 1] = given[i];
#pragma omp scan inclusive(sum)
		b[i] = sum;
		taken[i] = taken[i + 1] + b[i];
	}
#pragma omp parallel for reduction(inscan, + : before)
	for (int i = 0; i < N; i++) {
		c[i] = before;
#pragma omp scan exclusive(before)
		before += a[i];
		shared = i;
	}
	return shared != N - 1;
}
