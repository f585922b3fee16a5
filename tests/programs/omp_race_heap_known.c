/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways by which others get to know of what a thread has allocated; only its own iterations use it then.
 * race: heap
 * race: heap
 * race: heap
 * race: heap
 * race: heap
 */
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	long value;
};

struct node *list, *copied[4], *first;
long *counter, *cell;
_Atomic(long *) atomic_cell;

/* The words that a shared block points to are shared, too. */
static void chain(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		{
			struct node *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
			a->next = b;
			b->next = NULL;
			list = a;
		}
#pragma omp for
		for (int i = 0; i < 8; i++)
			if (i % 2)
				list->next->value = i;
	}
}

/* Copied as a whole. */
static void copy(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		{
			struct node *mine[4] = {calloc(1, sizeof(**mine))};
			memcpy(copied, mine, sizeof(copied));
		}
#pragma omp for
		for (int i = 0; i < 8; i++)
			if (i % 2)
				copied[0]->value = i;
	}
}

/* By an atomic. */
static void atomic(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		atomic_cell = calloc(1, sizeof(long));
#pragma omp for
		for (int i = 0; i < 8; i++)
			if (i % 2)
				*atomic_cell = i;
	}
}

/* Forgotten and made known again, with nothing between. */
static void again(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		{
			counter = NULL;
			counter = calloc(1, sizeof(long));
		}
#pragma omp for
		for (int i = 0; i < 8; i++)
			if (i % 2)
				*counter = i;
	}
}

/* To a task that is not waited for. */
static void task(void)
{
#pragma omp parallel num_threads(2)
	{
		long *mine = calloc(1, sizeof(long));
#pragma omp task firstprivate(mine)
		*mine = 1;
#pragma omp for nowait
		for (int i = 0; i < 2; i++)
			*mine = 2;
#pragma omp barrier
		free(mine);
	}
}

int main(void)
{
	chain();
	copy();
	atomic();
	again();
	task();
	return 0;
}
