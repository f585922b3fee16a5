/* SPDX-License-Identifier: Apache-2.0
 *
 * The iterations of loop directives are parallel.
 * race: late
 */
enum { N = 64 };
static int early[N], late[N], sum;

int main(void)
{
#pragma omp parallel loop collapse(1) reduction(+ : sum) order(concurrent)
	for (int i = 1; i < N; i++) {
		early[i] = i;
		sum += early[i];
	}
#pragma omp parallel
	{
#pragma omp loop private(sum) bind(parallel)
		for (int i = 1; i < N; i++)
			late[i] = late[i - 1] + early[i];
	}
	return sum != N * (N - 1) / 2;
}
