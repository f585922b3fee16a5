/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that share variables of who created them: taskwait, taskgroup, undeferred and final ones.
 * verdict: race-free for this input on every schedule
 */
static int fib(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a) final(n < 4)
	a = fib(n - 1);
#pragma omp task shared(b) if (n > 3)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	int result = 0, x = 0;
#pragma omp parallel
#pragma omp single
	{
		result = fib(12);
#pragma omp taskgroup
		{
#pragma omp task shared(x)
			{
#pragma omp task shared(x)
				x = 1;
			}
		}
		x++;
	}
	return result != 144 || x != 2;
}
