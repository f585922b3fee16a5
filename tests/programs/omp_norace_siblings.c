/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of an iteration, and of its thread before: siblings. (That the iteration itself leaves `own` alone is not seen.)
 * verdict: race
 */
int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int own = 0;
#pragma omp task shared(own) depend(out : own)
		own = 1;
#pragma omp for
		for (int i = 0; i < 2; i++) {
			int sum = 0;
#pragma omp task shared(own, sum) depend(in : own) depend(out : sum)
			sum = own;
#pragma omp task shared(sum) depend(inout : sum)
			sum++;
#pragma omp taskwait
		}
	}
	return 0;
}
