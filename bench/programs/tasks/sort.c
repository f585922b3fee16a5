/* SPDX-License-Identifier: Apache-2.0
 *
 * sort.c - merge sort by quarters with merging in parallel: sort of the Cilk and BOTS suites
 *
 * Four quarters in tasks, two merges in tasks, then one merge; a merge splits the longer half in
 * the middle and the other where that belongs.  The result has to be in order, with the
 * same sum.
 *
 * Mistake: the last merge does not wait for the two before it.
 */
#include "program.h"

enum { SORT_BASE = 2048, MERGE_BASE = 2048, INSERTION = 20 };
static const int sizes[] = {20000, 1000000, 10000000};

static int n;
static int *numbers, *scratch;

static void swap(int *x, int *y)
{
	int t = *x;
	*x = *y;
	*y = t;
}

static void sort_directly(int *a, int count)
{
	while (count > INSERTION) {
		int pivot = a[count / 2], i = 0, j = count - 1;
		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i <= j)
				swap(&a[i++], &a[j--]);
		}
		sort_directly(a, j + 1);
		a += i;
		count -= i;
	}
	for (int i = 1; i < count; i++)
		for (int j = i; j > 0 && a[j - 1] > a[j]; j--)
			swap(&a[j - 1], &a[j]);
}

struct merge {
	const int *x, *y;
	int nx, ny, *to;
};

static void merge_directly(const struct merge *m)
{
	int i = 0, j = 0;
	for (int k = 0; k < m->nx + m->ny; k++)
		m->to[k] = j == m->ny || (i < m->nx && m->x[i] <= m->y[j]) ? m->x[i++] : m->y[j++];
}

static int place_of(int value, const int *y, int ny) /* how many are smaller */
{
	int low = 0;
	while (low < ny) {
		int middle = (low + ny) / 2;
		if (y[middle] < value)
			low = middle + 1;
		else
			ny = middle;
	}
	return low;
}

static void merge(void *arg)
{
	struct merge m = *(const struct merge *)arg;
	if (m.nx + m.ny <= MERGE_BASE) {
		merge_directly(&m);
		return;
	}
	if (m.nx < m.ny)
		m = (struct merge){m.y, m.x, m.ny, m.nx, m.to};
	int half = m.nx / 2, place = place_of(m.x[half], m.y, m.ny);
	struct merge low = {m.x, m.y, half, place, m.to};
	struct merge high = {m.x + half, m.y + place, m.nx - half, m.ny - place,
			     m.to + half + place};
	snag_spawn_copy(merge, &low, sizeof(low));
	snag_spawn_copy(merge, &high, sizeof(high));
	snag_sync();
}

struct part {
	int *a, *scratch, count;
};

static void sort(void *arg)
{
	const struct part *p = arg;
	if (p->count <= SORT_BASE) {
		sort_directly(p->a, p->count);
		return;
	}
	int at[5];
	for (int i = 0; i <= 4; i++)
		at[i] = (int)((long)p->count * i / 4);
	for (int i = 0; i < 4; i++) {
		struct part quarter = {p->a + at[i], p->scratch + at[i], at[i + 1] - at[i]};
		snag_spawn_copy(sort, &quarter, sizeof(quarter));
	}
	snag_sync();
	for (int i = 0; i < 4; i += 2) {
		struct merge two = {p->a + at[i], p->a + at[i + 1], at[i + 1] - at[i],
				    at[i + 2] - at[i + 1], p->scratch + at[i]};
		snag_spawn_copy(merge, &two, sizeof(two));
	}
	if (!MISTAKE)
		snag_sync();
	struct merge all = {p->scratch, p->scratch + at[2], at[2], at[4] - at[2], p->a};
	snag_spawn_copy(merge, &all, sizeof(all));
	snag_sync();
}

static void first(void *arg)
{
	(void)arg;
	struct part all = {numbers, scratch, n};
	sort(&all);
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	numbers = program_array((size_t)n, sizeof(*numbers));
	scratch = program_array((size_t)n, sizeof(*scratch));
	unsigned random = 1;
	long sum = 0;
	for (int i = 0; i < n; i++)
		sum += numbers[i] = (int)program_random(&random);
	program_launch(first);
	bool is_right = true;
	for (int i = 0; i < n; i++) {
		sum -= numbers[i];
		is_right &= i == 0 || numbers[i - 1] <= numbers[i];
	}
	return program_end(is_right && sum == 0);
}
