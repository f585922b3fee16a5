/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_diff.c - `snag diff`: which reports of two runs are new, gone, or in both
 *
 * Reports are compared by their ids, which stay the same when lines move.  Suppressed ones do not
 * count.
 */
#include "cli/command.h"
#include "cli/report_file.h"
#include "report/json_writer.h"

#include <string.h>

struct diff_values {
	int json;
};

static const struct cli_option diff_options[] = {
	{.name = "json",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = offsetof(struct diff_values, json),
	 .help = "print JSON"},
	{0},
};

struct wanted {
	const char *id;
	bool is_there;
};

static void compare(void *ctx, const char *id)
{
	struct wanted *w = ctx;
	w->is_there |= strcmp(id, w->id) == 0;
}

static bool has(const struct cli_report_file *f, const struct cli_report_entry *e)
{
	struct wanted w = {.id = e->id};
	for (size_t i = 0; i < f->n && e->id; i++)
		if (!f->at[i].is_suppressed)
			cli_report_ids(&f->at[i], compare, &w);
	return w.is_there;
}

enum side { NEW, GONE, SAME, SIDES };
static const char *const side_name[SIDES] = {"new", "gone", "same"};
static const char side_mark[SIDES] = {'+', '-', ' '};

/* Returns whether an entry belongs to a side: new ones are only in b, gone ones only in a, the
 * others in both. */
static bool is_of(enum side side, const struct cli_report_file f[2],
		  const struct cli_report_entry *e)
{
	return !e->is_suppressed && has(&f[side == GONE ? 1 : 0], e) == (side == SAME);
}

static size_t side_print(const struct cli_report_file f[2], enum side side, struct snag_printer *to,
			 struct snag_json *j)
{
	const struct cli_report_file *of = &f[side == GONE ? 0 : 1];
	size_t n = 0;
	if (j)
		snag_json_array(j, side_name[side]);
	for (size_t i = 0; i < of->n; i++) {
		const struct cli_report_entry *e = &of->at[i];
		if (!is_of(side, f, e))
			continue;
		n++;
		if (j) {
			snag_json_newline(j);
			snag_json_object(j, NULL);
			snag_json_string(j, "id", e->id ? e->id : "");
			snag_json_string(j, "kind", e->kind);
			snag_json_string(j, "text", e->text);
			snag_json_end(j);
		} else {
			snag_printf(to, "%c %s ", side_mark[side], e->id ? e->id : "?");
			snag_print_name(to, e->text);
			snag_print(to, "\n");
		}
	}
	if (j)
		snag_json_end(j);
	return n;
}

static int diff_print(const struct cli_report_file f[2], bool is_json, struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	size_t n[SIDES];
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	snag_json_init(&j, &to);
	if (is_json)
		snag_json_object(&j, NULL);
	for (int side = 0; side < SIDES; side++)
		n[side] = side_print(f, (enum side)side, &to, is_json ? &j : NULL);
	if (is_json)
		snag_json_end(&j);
	else
		snag_printf(&to, "%zu new, %zu gone, %zu in both\n", n[NEW], n[GONE], n[SAME]);
	rc = snag_printer_commit(&to, err);
	return rc < 0 ? rc : n[NEW] ? CLI_RACES : CLI_OK;
}

static int diff_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct diff_values *v = values;
	struct cli_report_file f[2];
	int rc = cli_report_file_read(operand[0], &f[0], err);
	if (rc < 0)
		return rc;
	rc = cli_report_file_read(operand[1], &f[1], err);
	if (rc == 0) {
		rc = diff_print(f, v->json, err);
		cli_report_file_done(&f[1]);
	}
	cli_report_file_done(&f[0]);
	return rc;
}

const struct cli_command cli_command_diff = {
	.name = "diff",
	.summary = "compare the reports of two runs",
	.operands = "OLD.json NEW.json",
	.min_operands = 2,
	.max_operands = 2,
	.offer = CLI_OFFER_FILES,
	.options = diff_options,
	.about =
		"Compares two files of 'snag run --json': prints which reports of NEW.json are\n"
		"new (+), which of OLD.json are gone (-), and which are in both.  The exit status\n"
		"is 66 if there are new ones.\n",
	.values_size = sizeof(struct diff_values),
	.run = diff_run,
};
