/* SPDX-License-Identifier: Apache-2.0
 *
 * knapsack.c - the most valuable load: Knapsack of the BOTS suite
 *
 * Items in falling order of value per weight; a task with the next item and one without it,
 * unless what could still be reached, with a fraction of an item, is below what the greedy choice
 * reaches.  BOTS prunes by the best load found so far, which makes the search itself a race; this
 * bound is known from the start.  Dynamic programming has to give the same value.
 *
 * Mistake: both branches keep their result in one variable.
 */
#include "program.h"

static const struct size {
	int items, spread; /* of values over weights */
	int slack;	   /* how far below the greedy choice is hopeless */
} sizes[] = {{12, 60, 30}, {40, 80, 0}, {40, 70, 6}};

enum { MAX = 64 };

static int n, capacity, floor_value;
static struct item {
	int value, weight;
} item[MAX];

struct search {
	int at, room, value; /* the next item; what fits; what is in */
	int *best;
};

static bool is_hopeless(const struct search *search)
{
	double bound = search->value;
	int room = search->room;
	for (int i = search->at; i < n; i++) {
		if (item[i].weight > room) {
			bound += (double)item[i].value * room / item[i].weight;
			break;
		}
		bound += item[i].value;
		room -= item[i].weight;
	}
	return bound < floor_value;
}

static void choose(void *arg)
{
	const struct search *search = arg;
	*search->best = 0;
	if (search->room < 0 || is_hopeless(search))
		return;
	if (search->at == n || search->room == 0) {
		*search->best = search->value;
		return;
	}
	int with, without;
	struct search next = {search->at + 1, search->room - item[search->at].weight,
			      search->value + item[search->at].value, &with};
	snag_spawn_copy(choose, &next, sizeof(next));
	next = (struct search){search->at + 1, search->room, search->value,
			       MISTAKE ? &with : &without};
	snag_spawn_copy(choose, &next, sizeof(next));
	snag_sync();
	*search->best = MISTAKE || with > without ? with : without;
}

static int best;

static void first(void *arg)
{
	(void)arg;
	struct search search = {0, capacity, 0, &best};
	choose(&search);
}

static int by_ratio(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return y->value * x->weight - x->value * y->weight;
}

static int dynamic(void)
{
	int *value = program_array((size_t)capacity + 1, sizeof(*value));
	for (int i = 0; i < n; i++)
		for (int room = capacity; room >= item[i].weight; room--) {
			int with = value[room - item[i].weight] + item[i].value;
			value[room] = with > value[room] ? with : value[room];
		}
	int most = value[capacity];
	free(value);
	return most;
}

int main(int argc, char **argv)
{
	struct size size = sizes[program_size(argc, argv)];
	unsigned random = 7;
	n = size.items;
	for (int i = 0; i < n; i++) {
		item[i].weight = 100 + (int)(program_random(&random) % 100);
		item[i].value =
			item[i].weight + (int)(program_random(&random) % (unsigned)size.spread);
		capacity += item[i].weight;
	}
	capacity /= 2;
	qsort(item, (size_t)n, sizeof(*item), by_ratio);
	for (int i = 0, room = capacity; i < n; i++)
		if (item[i].weight <= room) {
			room -= item[i].weight;
			floor_value += item[i].value;
		}
	floor_value -= size.slack; /* so that there are as many tasks as the paper counts */
	program_launch(first);
	return program_end(best == dynamic());
}
