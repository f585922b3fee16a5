/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock-free stack whose push is relaxed: nodes are read by those who pop them without order.
 * found by: hb
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { NODES = 20 };

struct node {
	struct node *next;
	int value;
};

static _Atomic(struct node *) top;

static void push(struct node *n, int value)
{
	n->value = value;
	n->next = atomic_load_explicit(&top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

/* Takes all: nothing is used again, so there is no ABA. */
static struct node *take_all(void)
{
	return atomic_exchange_explicit(&top, NULL, memory_order_acquire);
}

static void *pushes(void *arg)
{
	struct node *node = arg;
	for (int i = 0; i < NODES; i++)
		push(&node[i], 1);
	return arg;
}

static void *takes(void *arg)
{
	long sum = 0;
	while (sum < 2 * NODES)
		for (struct node *n = take_all(); n; n = n->next)
			sum += n->value;
	return (void *)sum;
}

int main(void)
{
	static struct node node[2][NODES];
	pthread_t t[3];
	void *sum;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, pushes, node[i]);
	pthread_create(&t[2], NULL, takes, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_join(t[2], &sum);
	return (long)sum != 2 * NODES;
}
