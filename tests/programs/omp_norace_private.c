/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread may use its private memory in all its iterations: variables of the region, and
 * thread-local ones, which explicit tasks may use too.
 * verdict: \(no race found\|race-free\)
 */
static int total, mine = 1;
#pragma omp threadprivate(mine)

int main(void)
{
#pragma omp parallel copyin(mine)
	{
		int local = 0, square[4] = {0};
#pragma omp for
		for (int i = 0; i < 100; i++) {
			square[i % 4] = i;
			local += square[i % 4];
			mine++;
		}
#pragma omp critical
		total += local + mine - 1;
	}
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 10; i++) {
#pragma omp task
		mine++;
	}
	return total != 4950 + 100;
}
