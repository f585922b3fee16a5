/* SPDX-License-Identifier: Apache-2.0
 *
 * serial_rows.c - the steps of spbags and espbags as rows
 */
#include "detect/tasks/serial_rows.h"

#include "detect/past.h"
#include "order/bags.h"

static void head_put(const struct snag_table *rows)
{
	static const char *const column[] = {"line", "event", "S", "P", "past"};
	snag_table_head(rows, column, sizeof(column) / sizeof(column[0]));
}

/* The tasks of a bag. */
static void bag_put(struct snag_table_row *row, const struct snag_serial_view *v, uint32_t root)
{
	const char *before = "{";
	for (snag_tid t = 0; t <= v->last_task; t++) {
		if (snag_bags_find(v->bags, t) != root)
			continue;
		snag_table_row_add(row, "%sT%u", before, t);
		before = ",";
	}
	snag_table_row_add(row, "}");
}

static void serial_put(struct snag_table_row *row, const struct snag_serial_view *v)
{
	const char *before = "";
	for (size_t i = 0; i < v->bags->depth; i++) {
		const struct snag_bags_scope *s = &v->bags->scope[i];
		if (s->kind != SNAG_SCOPE_ASYNC && s->kind != SNAG_SCOPE_SPAWN)
			continue;
		snag_table_row_add(row, "%sT%u:", before, s->task);
		bag_put(row, v, snag_bags_find(v->bags, s->task));
		before = " ";
	}
}

static void parallel_put(struct snag_table_row *row, const struct snag_serial_view *v)
{
	const char *before = "";
	for (size_t i = 0; i < v->bags->depth; i++) {
		const struct snag_bags_scope *s = &v->bags->scope[i];
		const uint32_t bag[] = {s->spawned, s->others};
		for (unsigned k = 0; k < 2; k++) {
			if (bag[k] == SNAG_NO_BAG)
				continue;
			snag_table_row_add(row, "%sT%u%s:", before, s->task,
					   s->kind == SNAG_SCOPE_FINISH ? "@" : "");
			bag_put(row, v, snag_bags_find(v->bags, bag[k]));
			before = " ";
		}
	}
}

static void past_put(struct snag_table_row *row, const struct snag_serial_view *v, const char *what,
		     uint32_t who)
{
	if (!snag_past_is_list(who) && who)
		snag_table_row_add(row, " %s T%u", what, who - 1);
	for (uint32_t l = snag_past_first(who); l; l = v->pool->link[l].next)
		snag_table_row_add(row, " %s T%u", what, v->pool->link[l].past.who - 1);
}

static void pasts_put(struct snag_table_row *row, const struct snag_table *rows,
		      const struct snag_serial_view *v)
{
	const struct snag_past_cell none = {0};
	const char *before = "";
	for (uint32_t x = 0; x < v->nvariables; x++) {
		const struct snag_past_cell *plain = &v->plain[x];
		const struct snag_past_cell *isolated = v->isolated ? &v->isolated[x] : &none;
		char name[SNAG_TABLE_NAME];
		if (!(plain->writer | plain->reader | isolated->writer | isolated->reader))
			continue;
		rows->variable(rows->ctx, x, name);
		snag_table_row_add(row, "%s%s:", before, name);
		past_put(row, v, "w", plain->writer);
		past_put(row, v, "r", plain->reader);
		past_put(row, v, "iw", isolated->writer);
		past_put(row, v, "ir", isolated->reader);
		before = ", ";
	}
}

void snag_serial_row(const struct snag_table *rows, const struct snag_serial_view *v,
		     const struct snag_event *ev)
{
	struct snag_table_row row = {0};
	if (!v) {
		head_put(rows);
		return;
	}
	uint32_t line = rows->line(rows->ctx, ev->loc);
	snag_table_row_next(&row);
	if (line)
		snag_table_row_add(&row, "%u", line);
	snag_table_row_next(&row);
	snag_table_row_add(&row, "T%u %s", ev->thread, snag_op_info[ev->op].text);
	snag_table_row_next(&row);
	serial_put(&row, v);
	snag_table_row_next(&row);
	parallel_put(&row, v);
	snag_table_row_next(&row);
	pasts_put(&row, rows, v);
	snag_table_row_put(&row, rows);
	snag_table_row_done(&row);
}
