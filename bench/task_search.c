/* SPDX-License-Identifier: Apache-2.0
 *
 * task_search.c - which order of searching the waits of tasks is best?
 *
 * Each access asks whether the last writer of its variable, and its last reader, come before
 * it.  What the tree of tasks does not answer is searched for in the waits: depth first or breadth
 * first, the waits of a task newest first or oldest first, every time anew; all of them, or none
 * that is older than what is looked for; and as order/joins.h does it, which keeps answers.  CSV:
 *
 *   program, graph order, order of waits, all waits or new ones, answers kept
 *   asked      questions that the tree did not answer
 *   searches   those that had to search; in recorded traces those that find something
 *   min, max, mean   tasks visited in a search: lists of waits that were looked at
 *   seconds    of CPU time for the whole trace; not to be compared in recorded ones, where the
 *              same search is made once and counted each time
 */
#include "bench/task_search.h"

#include <stdio.h>
#include <time.h>

#include "base/memory.h"
#include "detect/tasks/task_event.h"

enum { MEMOS = 4096 };

struct order {
	const char *graph, *waits;
	bool is_breadth, is_oldest, is_all, is_kept;
};

static const struct order orders[] = {
	{"dfs", "newest first", .is_breadth = false, .is_oldest = false},
	{"dfs", "oldest first", .is_breadth = false, .is_oldest = true},
	{"bfs", "newest first", .is_breadth = true, .is_oldest = false},
	{"bfs", "oldest first", .is_breadth = true, .is_oldest = true},
	{"bfs", "newest first", .is_breadth = true, .is_kept = true},
	{"dfs", "newest first", .is_all = true},
	{"dfs", "oldest first", .is_all = true, .is_oldest = true},
	{"bfs", "newest first", .is_all = true, .is_breadth = true},
	{"bfs", "oldest first", .is_all = true, .is_breadth = true, .is_oldest = true},
};

struct searcher {
	const struct order *order;
	struct snag_task_order tasks;
	uint32_t *seen; /* of a join: the last search that looked at it */
	size_t seen_cap;
	uint32_t *list, *queue; /* waits, and lists of them, still to be looked at */
	size_t list_cap, queue_cap;
	uint32_t search, a; /* the number of this search, and what it is for */
	uint32_t visited, min, max;
	bool has_begun;
	struct memo {
		uint32_t a, list, visited;
	} memo[MEMOS];
	bool has_memos; /* recorded: nothing is searched for twice, or if it is not there */
	uint64_t asked, searches, sum;
	struct last {
		uint32_t writer, reader;
	} * last; /* steps, by variable */
	size_t last_cap;
};

/* Whether something on the list may be what is looked for. */
static bool is_recent(const struct searcher *s, uint32_t join, uint32_t a)
{
	return join && (s->order->is_all || s->tasks.joins.join[join].latest >= a);
}

static bool is_worth(const struct searcher *s, uint32_t join)
{
	return is_recent(s, join, s->a) && s->seen[join] != s->search;
}

/* Whether one wait answers the question; *ret_behind is the list behind it, or 0. */
static bool wait_has(struct searcher *s, uint32_t i, uint32_t *ret_behind)
{
	const struct snag_joins *j = &s->tasks.joins;
	uint32_t id = j->join[i].what & SNAG_JOIN_ID;
	*ret_behind = id;
	s->seen[i] = s->search;
	if (j->join[i].what >> SNAG_JOIN_SHIFT != SNAG_JOIN_PROMISE)
		return false;
	*ret_behind = j->promise[id].list;
	return j->promise[id].step >= s->a &&
	       snag_dpst_precedes(j->tree, s->a, j->promise[id].step);
}

static void push(uint32_t **list, size_t *cap, size_t *n, uint32_t what)
{
	*list = snag_grow(*list, cap, *n + 1, sizeof(**list));
	(*list)[(*n)++] = what;
}

/* The waits on a list, from s->list[begin] on, in the order wanted; returns their end. */
static size_t waits_collect(struct searcher *s, uint32_t list, size_t begin)
{
	size_t end = begin;
	s->visited++;
	for (uint32_t i = list; is_worth(s, i); i = s->tasks.joins.join[i].next)
		push(&s->list, &s->list_cap, &end, i);
	for (size_t a = begin, b = end; s->order->is_oldest && a + 1 < b; a++) {
		uint32_t other = s->list[--b];
		s->list[b] = s->list[a];
		s->list[a] = other;
	}
	return end;
}

static bool search_depth(struct searcher *s, uint32_t list, size_t begin)
{
	size_t end = waits_collect(s, list, begin);
	for (size_t i = begin; i < end; i++) {
		uint32_t behind;
		if (s->seen[s->list[i]] == s->search)
			continue;
		if (wait_has(s, s->list[i], &behind) ||
		    (is_worth(s, behind) && search_depth(s, behind, end)))
			return true;
	}
	return false;
}

/* All waits of a list are compared before the lists behind them are visited. */
static bool search_breadth(struct searcher *s, uint32_t list)
{
	size_t nqueued = 0;
	push(&s->queue, &s->queue_cap, &nqueued, list);
	for (size_t next = 0; next < nqueued; next++) {
		size_t end = is_worth(s, s->queue[next]) ? waits_collect(s, s->queue[next], 0) : 0;
		for (size_t i = 0; i < end; i++) {
			uint32_t behind;
			if (wait_has(s, s->list[i], &behind))
				return true;
			if (is_worth(s, behind))
				push(&s->queue, &s->queue_cap, &nqueued, behind);
		}
	}
	return false;
}

/* Looks for step a on the list; returns how many tasks it visits. */
static uint32_t count_visited(struct searcher *s, uint32_t a, uint32_t list)
{
	const struct snag_joins *j = &s->tasks.joins;
	struct memo *memo = &s->memo[(a ^ list * 31) % MEMOS];
	if (s->has_memos && memo->a == a && memo->list == list)
		return memo->visited;
	s->seen = snag_grow(s->seen, &s->seen_cap, j->njoins, sizeof(*s->seen));
	s->a = a;
	s->search++;
	s->visited = 0;
	if (s->order->is_breadth)
		search_breadth(s, list);
	else
		search_depth(s, list, 0);
	*memo = (struct memo){a, list, s->visited};
	return s->visited;
}

static void ask(struct searcher *s, uint32_t a, uint32_t now, uint32_t list)
{
	struct snag_joins *j = &s->tasks.joins;
	if (a == 0 || snag_dpst_precedes(&s->tasks.tree, a, now) || !is_recent(s, list, a))
		return;
	s->asked++;
	if (s->order->is_kept) {
		snag_joins_has(j, list, a);
		return;
	}
	if (s->has_memos && !snag_joins_has(j, list, a))
		return; /* nothing is found, as for two readers: any order looks at everything */
	uint32_t visited = count_visited(s, a, list);
	s->searches++;
	s->sum += visited;
	s->min = visited < s->min ? visited : s->min;
	s->max = visited > s->max ? visited : s->max;
}

static void event(struct searcher *s, const struct snag_event *ev)
{
	if (!s->has_begun)
		snag_task_order_first(&s->tasks, ev->thread);
	s->has_begun = true;
	if (!snag_op_is_access(ev->op)) {
		snag_task_order_more(&s->tasks);
		snag_task_event(&s->tasks, ev);
		return;
	}
	uint32_t now = snag_task_order_step(&s->tasks, ev->thread);
	uint32_t list = snag_task_order_list(&s->tasks, ev->thread);
	struct last *last = &s->last[ev->target];
	ask(s, last->writer, now, list);
	ask(s, last->reader, now, list);
	if (ev->op == SNAG_OP_WRITE)
		*last = (struct last){.writer = now};
	else
		last->reader = now;
}

static void search(struct searcher *s, const struct snag_trace *trace,
		   const struct snag_counts *counts)
{
	const uint32_t *n = counts->n;
	snag_task_order_init(&s->tasks);
	snag_task_order_reserve(&s->tasks, n[SNAG_SPACE_THREAD], n[SNAG_SPACE_PROMISE]);
	s->last = snag_huge_grow(NULL, &s->last_cap, n[SNAG_SPACE_VARIABLE], sizeof(*s->last));
	for (size_t i = 0; i < trace->n; i++)
		event(s, &trace->ev[i]);
	if (s->order->is_kept) {
		const struct snag_joins *j = &s->tasks.joins;
		s->searches = j->searched;
		s->sum = j->visited;
		s->min = j->visited_min;
		s->max = j->visited_max;
	}
}

static void searcher_done(struct searcher *s)
{
	snag_task_order_done(&s->tasks);
	snag_huge_free(s->last, s->last_cap, sizeof(*s->last));
	free(s->seen);
	free(s->list);
	free(s->queue);
}

void task_search_header(void)
{
	puts("program,graph,waits,which,kept,asked,searches,min,max,mean,seconds");
}

void task_search(const char *program, const struct snag_trace *trace,
		 const struct snag_counts *counts, bool with_all)
{
	for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++) {
		if (orders[o].is_all && !with_all)
			continue;
		struct searcher s = {.order = &orders[o], .min = UINT32_MAX, .has_memos = with_all};
		clock_t begin = clock();
		search(&s, trace, counts);
		printf("%s,%s,%s,%s,%s,%llu,%llu,%u,%u,%.2f,%.2f\n", program, s.order->graph,
		       s.order->waits, s.order->is_all ? "all" : "new",
		       s.order->is_kept ? "yes" : "no", (unsigned long long)s.asked,
		       (unsigned long long)s.searches, s.searches ? s.min : 0, s.max,
		       s.searches ? (double)s.sum / (double)s.searches : 0,
		       (double)(clock() - begin) / CLOCKS_PER_SEC);
		fflush(stdout);
		searcher_done(&s);
	}
}
