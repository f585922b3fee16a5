/* SPDX-License-Identifier: Apache-2.0
 *
 * fannkuch.c - how often a pancake sort can flip: Fannkuch of the Computer Language Shootout
 *
 * All permutations of 1..n, 40 to a task, each task from its number to a permutation and on from
 * there.  The greatest number of flips, and the alternating sum of all, are known.
 *
 * Mistake: the tasks keep the greatest number of flips in one variable.
 */
#include "program.h"

enum { PER_TASK = 40, MAX = 12 };
static const int sizes[] = {7, 10, 11};

static int n;
static int *most;  /* flips, by task */
static long *sums; /* by task */
static int shared_most;

static void permutation(int number, int *p, int *count)
{
	int factorial = 1;
	for (int i = 0; i < n; i++)
		p[i] = i;
	for (int i = 1; i < n; i++)
		factorial *= i;
	for (int i = n - 1; i > 0; i--) {
		int turned[MAX], d = number / factorial;
		number %= factorial;
		count[i] = d;
		for (int j = 0; j <= i; j++)
			turned[j] = p[(j + d) % (i + 1)];
		memcpy(p, turned, (size_t)(i + 1) * sizeof(int));
		factorial /= i;
	}
}

static void next(int *p, int *count)
{
	for (int i = 1; i < n; i++) {
		int moved = p[0];
		for (int j = 0; j < i; j++)
			p[j] = p[j + 1];
		p[i] = moved;
		if (++count[i] <= i)
			return;
		count[i] = 0;
	}
}

static int flips(const int *p)
{
	int q[MAX], made = 0;
	memcpy(q, p, (size_t)n * sizeof(int));
	for (; q[0] != 0; made++)
		for (int i = 0, j = q[0]; i < j; i++, j--) {
			int t = q[i];
			q[i] = q[j];
			q[j] = t;
		}
	return made;
}

static void search(void *arg)
{
	const struct program_range *range = arg;
	int p[MAX], count[MAX] = {0}, best = 0;
	long sum = 0;
	permutation(range->from, p, count);
	for (int i = range->from; i < range->to; i++, next(p, count)) {
		int made = flips(p);
		sum += i % 2 ? -made : made;
		if (made > best)
			best = made;
		if (MISTAKE && made > shared_most)
			shared_most = made;
	}
	most[range->from / PER_TASK] = best;
	sums[range->from / PER_TASK] = sum;
}

static int permutations(void)
{
	int count = 1;
	for (int i = 2; i <= n; i++)
		count *= i;
	return count;
}

static void first(void *arg)
{
	(void)arg;
	program_for(permutations(), PER_TASK, search);
}

int main(int argc, char **argv)
{
	enum program_size size = program_size(argc, argv);
	static const int known_most[] = {16, 38, 51};
	static const long known_sum[] = {228, 73196, 556355};
	n = sizes[size];
	int tasks = permutations() / PER_TASK;
	most = program_array((size_t)tasks, sizeof(*most));
	sums = program_array((size_t)tasks, sizeof(*sums));
	program_launch(first);
	int best = 0;
	long sum = 0;
	for (int i = 0; i < tasks; i++) {
		sum += sums[i];
		best = most[i] > best ? most[i] : best;
	}
	return program_end(best == known_most[size] && sum == known_sum[size]);
}
