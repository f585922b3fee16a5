/* SPDX-License-Identifier: Apache-2.0
 *
 * Deep recursion, and jumps out of it, many times over.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

static __thread jmp_buf env;
static __thread int depth;

__attribute__((noinline)) static int deep(int n)
{
	depth++;
	if (n == 0)
		longjmp(env, 1);
	return deep(n - 1) + depth;
}

static void *work(void *arg)
{
	for (volatile int i = 0; i < 300; i++)
		if (setjmp(env) == 0)
			exit(deep(200));
	return arg;
}

__attribute__((noinline)) static int sum(int n)
{
	return n == 0 ? 0 : n % 3 + sum(n - 1);
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sum(40000) != 40000;
}
