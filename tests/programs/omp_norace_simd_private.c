/* SPDX-License-Identifier: Apache-2.0
 *
 * Simd loops and regions inside a loop, on memory that is private to the thread of the loop: the
 * iterations of one thread use the same copy, but never at the same time.
 * verdict: race-free for this input on every schedule
 */
enum { N = 16, ROUNDS = 20 };
int sum[N], nested[N], total[N], mapped[N];

int main(void)
{
	int j;
#pragma omp parallel for reduction(+ : sum) private(j)
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp simd
		for (j = 0; j < N; j++)
			sum[j]++;
	}
#pragma omp parallel for reduction(+ : nested)
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel for
		for (int k = 0; k < N; k++)
			nested[k]++;
	}
#pragma omp parallel
	{
		int mine[N] = {0};
#pragma omp for
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp simd
			for (int k = 0; k < N; k++)
				mine[k]++;
		}
		for (int k = 0; k < N; k++)
#pragma omp atomic
			total[k] += mine[k];
	}
#pragma omp target map(tofrom : mapped)
#pragma omp teams distribute parallel for reduction(+ : mapped)
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp simd
		for (int k = 0; k < N; k++)
			mapped[k]++;
	}
	return sum[1] != ROUNDS || nested[1] != ROUNDS || total[1] != ROUNDS || mapped[1] != ROUNDS;
}
