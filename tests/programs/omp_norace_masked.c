/* SPDX-License-Identifier: Apache-2.0
 *
 * Combined directives with masked, as an only statement and with the clauses of each part: one thread does
 * it.
 * verdict: race-free for this input on every schedule
 */
enum { N = 64 };
int a[N], b[N], c[N], x;

int main(void)
{
	int n = N, last = 0;
	long sum = 0;
	if (n)
#pragma omp parallel masked filter(2) num_threads(3)
		x++;
	else
		x = 9;
#pragma omp parallel masked taskloop default(shared) firstprivate(n) lastprivate(last)
	for (int i = 0; i < n; i++) {
		a[i] += 1;
		last = i;
	}
#pragma omp parallel masked taskloop simd if (parallel : n > 3) reduction(+ : sum)
	for (int i = 0; i < n; i++) {
		b[i]++;
		sum += i;
	}
#pragma omp parallel
	{
#pragma omp masked taskloop filter(1) collapse(2) grainsize(2)
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 8; j++)
				c[8 * i + j]++;
	}
	for (int i = 0; i < n; i++)
		if (a[i] != 1 || b[i] != 1 || c[i] != 1)
			return 1;
	return x != 1 || last != N - 1 || sum != N * (N - 1) / 2;
}
