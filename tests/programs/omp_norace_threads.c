/* SPDX-License-Identifier: Apache-2.0
 *
 * master, masked, single with copyprivate, threadprivate variables with copyin, flush: none of them
 * asks which thread it is on.
 * verdict: race-free for this input on every schedule
 */
int counter = 3, own, sum, mine;
#pragma omp threadprivate(own, mine)

int main(void)
{
	mine = 5;
#pragma omp parallel copyin(mine) reduction(+ : sum) num_threads(4)
	{
		int given = 0;
#pragma omp master
		counter++;
#pragma omp barrier
#pragma omp masked filter(2)
		counter++;
#pragma omp single copyprivate(given)
		given = 8;
		own = given + mine;
#pragma omp flush
		for (int k = 0; k < 3; k++)
			own++;
		sum += own;
	}
	return counter != 5 || sum != 4 * 16;
}
