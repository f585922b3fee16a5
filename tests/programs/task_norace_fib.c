/* SPDX-License-Identifier: Apache-2.0
 *
 * Fibonacci numbers, each call a task: results lie on the stacks of the creators, and siblings
 * use one stack after the other.
 * verdict: race-free
 */
#include <snag/task.h>

struct fib {
	int n;
	int result;
};

static void fib(void *arg)
{
	struct fib *f = arg, a = {f->n - 1, 0}, b = {f->n - 2, 0};
	if (f->n < 2) {
		f->result = f->n;
		return;
	}
	snag_finish {
		snag_async(fib, &a);
		snag_async(fib, &b);
	}
	f->result = a.result + b.result;
}

int main(void)
{
	struct fib f = {15, 0};
	return snag_launch(fib, &f) != 0 || f.result != 610;
}
