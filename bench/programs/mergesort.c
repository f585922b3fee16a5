/* SPDX-License-Identifier: Apache-2.0
 *
 * mergesort.c - halves sorted by threads of their own, down to a depth
 */
#include "program.h"

struct part {
	int *from, *scratch, n, threads;
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
	int half = p->n / 2, threads = p->threads / 2;
	pthread_t t;
	if (p->n < 2)
		return NULL;
	struct part left = {p->from, p->scratch, half, threads};
	struct part right = {p->from + half, p->scratch + half, p->n - half, p->threads - threads};
	bool is_forked = threads > 0 && pthread_create(&t, NULL, sort, &left) == 0;
	if (!is_forked)
		sort(&left);
	sort(&right);
	if (is_forked)
		pthread_join(t, NULL);
	merge(p);
	return NULL;
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 1 << 20);
	int *v = program_array((size_t)n, sizeof(*v));
	int *scratch = program_array((size_t)n, sizeof(*v));
	unsigned state = 1, sum = 0;
	for (int i = 0; i < n; i++) {
		v[i] = (int)program_random(&state);
		sum += (unsigned)v[i];
	}
	struct part all = {v, scratch, n, nthreads};
	sort(&all);
	bool is_right = true;
	for (int i = 0; i < n; i++) {
		is_right = is_right && (i == 0 || v[i - 1] <= v[i]);
		sum -= (unsigned)v[i];
	}
	return program_end(is_right && sum == 0);
}
