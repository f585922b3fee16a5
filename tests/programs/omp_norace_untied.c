/* SPDX-License-Identifier: Apache-2.0
 *
 * Untied tasks, which clang cuts into parts: recursion, a loop that creates them, undeferred ones,
 * and large arrays on stacks that other tasks had before.
 * verdict: race-free for this input on every schedule
 */
#include <string.h>

enum { TASKS = 2000, NUMBERS = 1000 };

static int fib(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task untied shared(a)
	a = fib(n - 1);
#pragma omp task untied shared(b) if (n > 3)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static long sum(int with)
{
	long numbers[NUMBERS], result = 0;
	memset(numbers, 0, sizeof(numbers));
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] += with;
	for (int i = 0; i < NUMBERS; i++)
		result += numbers[i];
	return result;
}

int main(void)
{
	static long result[TASKS];
	int last = 0, after = 0;
#pragma omp parallel
#pragma omp single
	{
		last = fib(14);
#pragma omp task untied shared(after, result)
		{
			for (int i = 0; i < TASKS; i++) {
#pragma omp task untied firstprivate(i)
				result[i] = i < 20 ? sum(i) : i * NUMBERS;
			}
#pragma omp taskwait
			for (int i = 0; i < TASKS; i++)
				after += result[i] == (long)i * NUMBERS;
		}
	}
	return last != 377 || after != TASKS;
}
