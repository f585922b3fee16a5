/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_list.c - `snag list`: the detectors, one line each
 */
#include "cli/command.h"
#include "detect/detector.h"
#include "report/json_writer.h"

#include <string.h>
#include <unistd.h>

struct list_values {
	int json;
};

static const struct cli_option list_options[] = {
	{.name = "json",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = offsetof(struct list_values, json),
	 .help = "print JSON"},
	{0},
};

enum { COLUMNS = 5 };
static const char *const heading[COLUMNS] = {"NAME", "KIND", "GUARANTEE", "COST", "REFERENCE"};

static const char *cell(const struct snag_detector *d, int column)
{
	const char *const cells[COLUMNS] = {d->name, d->kind, d->guarantee, d->cost, d->reference};
	return cells[column];
}

static void table_line(struct snag_printer *to, const struct snag_detector *d,
		       const int width[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++) {
		const char *text = d ? cell(d, c) : heading[c];
		if (c + 1 < COLUMNS)
			snag_printf(to, "%-*s  ", width[c], text);
		else
			snag_printf(to, "%s\n", text);
	}
}

/* A heading only on a terminal: scripts get one line per detector. */
static void table(struct snag_printer *to)
{
	int width[COLUMNS];
	bool has_heading = isatty(STDOUT_FILENO);
	for (int c = 0; c < COLUMNS; c++) {
		width[c] = has_heading ? (int)strlen(heading[c]) : 0;
		for (size_t i = 0; snag_detectors[i]; i++) {
			int n = (int)strlen(cell(snag_detectors[i], c));
			width[c] = n > width[c] ? n : width[c];
		}
	}
	if (has_heading)
		table_line(to, NULL, width);
	for (size_t i = 0; snag_detectors[i]; i++)
		table_line(to, snag_detectors[i], width);
}

static void json(struct snag_printer *to)
{
	struct snag_json j;
	snag_json_init(&j, to);
	snag_json_object(&j, NULL);
	snag_json_array(&j, "detectors");
	for (size_t i = 0; snag_detectors[i]; i++) {
		const struct snag_detector *d = snag_detectors[i];
		snag_json_newline(&j);
		snag_json_object(&j, NULL);
		snag_json_string(&j, "name", d->name);
		snag_json_string(&j, "summary", d->summary);
		snag_json_string(&j, "kind", d->kind);
		snag_json_string(&j, "guarantee", d->guarantee);
		snag_json_string(&j, "cost", d->cost);
		snag_json_string(&j, "reference", d->reference);
		snag_json_string(&j, "verdict", snag_verdict_text[d->verdict]);
		snag_json_bool(&j, "default", d->by_default);
		snag_json_end(&j);
	}
	snag_json_end(&j);
	snag_json_end(&j);
}

static int list_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct list_values *v = values;
	struct snag_printer to;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	if (v->json)
		json(&to);
	else
		table(&to);
	return snag_printer_commit(&to, err);
}

const struct cli_command cli_command_list = {
	.name = "list",
	.summary = "list the detectors and what each guarantees",
	.operands = "",
	.options = list_options,
	.about = "Prints one line per detector: name, kind, guarantee, cost and reference.\n",
	.values_size = sizeof(struct list_values),
	.run = list_run,
};
