/* SPDX-License-Identifier: Apache-2.0
 *
 * mergesort.c - halves sorted by threads of their own, down to a depth
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
	int *from, *scratch, n, depth;
};

static void merge(const struct part *p)
{
	int half = p->n / 2, i = 0, j = half, k = 0;
	while (i < half && j < p->n)
		p->scratch[k++] = p->from[i] <= p->from[j] ? p->from[i++] : p->from[j++];
	while (i < half)
		p->scratch[k++] = p->from[i++];
	while (j < p->n)
		p->scratch[k++] = p->from[j++];
	for (i = 0; i < p->n; i++)
		p->from[i] = p->scratch[i];
}

static void *sort(void *arg)
{
	const struct part *p = arg;
	int half = p->n / 2;
	pthread_t t;
	if (p->n < 2)
		return NULL;
	struct part left = {p->from, p->scratch, half, p->depth - 1};
	struct part right = {p->from + half, p->scratch + half, p->n - half, p->depth - 1};
	if (p->depth > 0)
		pthread_create(&t, NULL, sort, &left);
	else
		sort(&left);
	sort(&right);
	if (p->depth > 0)
		pthread_join(t, NULL);
	merge(p);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 400000;
	int *v = malloc(sizeof(*v) * (size_t)n), *scratch = malloc(sizeof(*v) * (size_t)n);
	unsigned x = 1;
	for (int i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		v[i] = (int)(x >> 8);
	}
	struct part all = {v, scratch, n, 1};
	sort(&all);
	for (int i = 1; i < n; i++)
		if (v[i - 1] > v[i])
			return 1;
	printf("%d\n", v[n / 2]);
	return 0;
}
