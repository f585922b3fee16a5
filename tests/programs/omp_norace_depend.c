/* SPDX-License-Identifier: Apache-2.0
 *
 * Depend clauses: a chain, readers between writers, arrays, taskwait with one, an undeferred task.
 * verdict: race-free for this input on every schedule
 */
int x, y[8], seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x) depend(out : y[0])
		y[0] = x;
#pragma omp task depend(in : x) depend(out : y[1])
		y[1] = x + 1;
#pragma omp task depend(inout : x)
		x++;
		for (int i = 2; i < 8; i++)
#pragma omp task depend(in : y[i - 1]) depend(out : y[i]) firstprivate(i)
			y[i] = y[i - 1] + 1;
#pragma omp task depend(in : y[7]) if (0)
		seen = y[7];
#pragma omp taskwait depend(in : x)
		seen += x;
	}
	return seen != 8 + 2;
}
