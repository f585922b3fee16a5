/* SPDX-License-Identifier: Apache-2.0
 *
 * Long loops, some of whose iterations do more than access memory: tasks, locks of their own, promises.
 * verdict: race-free for this input on every schedule
 */
enum { N = 100000 };
int a[N], b[N], c[N + 1];

int main(void)
{
	double sum = 0;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel
	{
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += a[N - 1 - i];
#pragma omp for schedule(static, 2) nowait
		for (int i = 0; i < N; i++)
			b[i / 2 * 2] = i;
#pragma omp for
		for (int i = 0; i < N; i++) {
			c[i] = i;
			if (i % 1000 == 0) {
#pragma omp task firstprivate(i)
				a[i] = c[i];
#pragma omp taskwait
				c[i] = a[i] + 1;
			}
		}
	}
#pragma omp parallel for ordered
	for (int i = 0; i < N; i++)
		if (i % 1000 == 0)
#pragma omp ordered
			c[N]++;
	return c[N] != N / 1000 || sum != (double)N * (N - 1) / 2 || c[2000] != 2001;
}
