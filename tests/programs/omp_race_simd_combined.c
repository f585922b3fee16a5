/* SPDX-License-Identifier: Apache-2.0
 *
 * Simd loops of a target, or that teams share: iterations of one team race.
 * race: a
 * race: b
 * race: c
 */
enum { N = 64 };
int a[N], b[N], c[N];

int main(void)
{
	int i;
#pragma omp target simd map(tofrom : a) if (target : a[0] == 0)
	for (int i = 1; i < N; i++)
		a[i] = a[i - 1] + 1;
#pragma omp teams num_teams(1)
#pragma omp distribute simd
	for (i = 1; i < N; i++)
		b[i] = b[i - 1] + 1;
#pragma omp target teams distribute simd num_teams(2) dist_schedule(static, N / 2)
	for (i = 0; i < N; i++)
		if (i % (N / 2))
			c[i] = c[i - 1] + 1;
	return 0;
}
