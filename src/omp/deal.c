/* SPDX-License-Identifier: Apache-2.0
 *
 * deal.c - which thread of a team executes a block for one thread
 */
#include "omp/core.h"

enum { MOST_MASKED = 64 };

static void deal_report(struct mp_task *t) /* [none] */
{
	if (!t->met.is_reported && t->team->is_reported && t->team->n > 1)
		mp_obstacle(SNAG_OMP_OBSTACLE_ONE_THREAD);
	t->met.is_reported = true;
}

/* The first n single blocks get different threads, if that is possible. */
static bool is_marked(const struct mp_task *t, int number) /* [known] */
{
	const struct mp_deals *d = &t->team->deals;
	size_t n = (size_t)t->team->n, most = t->met.singles < n ? t->met.singles : n;
	for (size_t i = 0; i < most; i++)
		if (d->single[i] == number)
			return true;
	return number < MOST_MASKED && t->met.masked >> number & 1;
}

static int single_choose(struct mp_task *t) /* [single] */
{
	struct mp_deals *d = &t->team->deals;
	int others = t->team->n - 1;
	for (int i = 0; i < others; i++) {
		int number = 1 + (d->turn + i) % others;
		if (!is_marked(t, number))
			return d->turn = number;
	}
	return is_marked(t, 0) ? d->turn = 1 + d->turn % others : 0;
}

static void single_add(struct mp_deals *d, int number)
{
	d->single = mp_grow(d->single, &d->cap, d->nsingles + 1, sizeof(*d->single));
	d->single[d->nsingles++] = (uint16_t)number;
}

bool mp_single(void)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_deals *d = &t->team->deals;
	if (t->team->n == 1)
		return true;
	mp_alike_look(t);
	if (t->met.singles == d->nsingles)
		single_add(d, single_choose(t));
	if (d->single[t->met.singles++] != t->number)
		return false;
	if (t->met.has_single || t->met.has_masked)
		deal_report(t);
	t->met.has_single = true;
	return true;
}

bool mp_masked(int number)
{
	struct mp_task *t = mp.now->task;
	bool is_mine = t->number == number;
	if (!t->is_implicit)
		return is_mine;
	if (number >= 0 && number < MOST_MASKED)
		t->met.masked |= (uint64_t)1 << number;
	if (is_mine && t->met.has_single)
		deal_report(t);
	t->met.has_masked |= is_mine;
	return is_mine;
}

void mp_deal_barrier(struct mp_task *t)
{
	t->met = (struct mp_met){0};
}

void mp_deals_end(struct mp_team *team)
{
	team->deals.nsingles = team->deals.nalike = 0;
	mp_dealt_free(&team->deals.blocks);
}

void mp_deals_free(struct mp_team *team)
{
	mp_free(team->deals.single);
	mp_free(team->deals.alike);
	mp_dealt_free(&team->deals.blocks);
	team->deals = (struct mp_deals){0};
}

static void loop_decide(const struct mp_task *t, struct mp_dealt *d) /* [loop] */
{
	int n = t->team->n, unmarked = 0;
	d->is_decided = true;
	if (!mp.hooks || n == 1 || (!t->met.singles && !t->met.masked))
		return;
	for (int i = 0; i < n; i++)
		unmarked += !is_marked(t, i);
	if (unmarked == 0 || unmarked == n || (unmarked == 1 && t->knows_number))
		return;
	d->thread = mp_alloc((size_t)unmarked * sizeof(*d->thread));
	for (int i = 0; i < n; i++)
		if (!is_marked(t, i))
			d->thread[d->n++] = (uint16_t)i;
}

int mp_deal_place(struct mp_task *t, struct mp_dealt *d, int *ret_n)
{
	if (!d->is_decided)
		loop_decide(t, d);
	*ret_n = d->thread ? d->n : t->team->n;
	if (!d->thread)
		return t->number;
	for (int i = 0; i < d->n; i++)
		if (d->thread[i] == t->number)
			return i;
	return -1;
}

void mp_dealt_free(struct mp_dealt *d)
{
	mp_free(d->thread);
	*d = (struct mp_dealt){0};
}

void mp_deal_part(struct mp_task *t, bool is_zero)
{
	if (t->met.has_single || (t->met.has_masked && !(is_zero && t->number == 0)))
		deal_report(t);
}
