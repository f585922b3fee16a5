/* SPDX-License-Identifier: Apache-2.0
 *
 * Simd loops of a target, or that teams share; and one whose variable is said to be linear.
 * verdict: race-free for this input on every schedule
 */
enum { N = 64 };
int a[N], b[N], c[N];

int main(void)
{
	int i, k = 3, last = 0;
	long sum = 0;
#pragma omp target simd map(tofrom : a, last) lastprivate(last) if (simd : N > 3)
	for (int i = 1; i < N; i++)
		last = a[i] = i;
#pragma omp teams num_teams(2)
#pragma omp distribute simd collapse(2)
	for (int i = 0; i < N / 8; i++)
		for (int j = 0; j < 8; j++)
			b[i * 8 + j] = 1;
#pragma omp target teams distribute simd num_teams(2) reduction(+ : sum) map(tofrom : sum)
	for (int i = 0; i < N; i++)
		sum += i;
#pragma omp simd linear(k : 2) linear(i : 1)
	for (i = 0; i < N; i++) {
		c[i] = k;
		k += 2;
	}
	return last != N - 1 || sum != N * (N - 1) / 2 || i != N || c[N - 1] != 3 + 2 * (N - 1) ||
	       k != 3 + 2 * N;
}
