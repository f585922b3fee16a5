/* SPDX-License-Identifier: Apache-2.0
 *
 * A task is alone with its stack at first, and after the first taskwait; not after the second, as a
 * child of its child still writes there.
 * race: stack
 */
static void set(long *at, long value)
{
	*at = value;
}

static long deep(int n)
{
	long x = n, y = 0;
#pragma omp task shared(x)
	set(&x, 1);
#pragma omp taskwait
	set(&x, x + 1);
#pragma omp task shared(y)
	{
#pragma omp task shared(y)
		set(&y, 2);
	}
#pragma omp taskwait
	set(&y, y + 1);
	return x + y;
}

int main(void)
{
	long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task shared(sum)
	sum = deep(3);
	return sum == 0;
}
