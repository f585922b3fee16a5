/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c - help texts, made from the tables of the commands
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, OPTION_COLUMN = 26, OPTION_BYTES = 128 };

/* "--jobs N" */
static void option_words(const struct cli_option *o, char words[OPTION_BYTES])
{
	snprintf(words, OPTION_BYTES, "--%s%s%s", o->name, o->value ? " " : "",
		 o->value ? o->value : "");
}

/* "Usage: snag analyze [--with LIST] ... TRACE", wrapped under the first option. */
static void synopsis(const struct cli_command *c, struct snag_printer *to)
{
	size_t indent = strlen("Usage: snag ") + strlen(c->name), column = indent;
	snag_printf(to, "Usage: snag %s", c->name);
	const struct cli_option *o;
	for (size_t i = 0; (o = cli_option_at(c, i)) && o != &cli_option_help; i++) {
		char words[OPTION_BYTES];
		option_words(o, words);
		if (column + strlen(words) + 3 > WIDTH) {
			snag_printf(to, "\n%*s", (int)indent, "");
			column = indent;
		}
		snag_printf(to, " [%s]", words);
		column += strlen(words) + 3;
	}
	if (*c->operands) {
		if (column + strlen(c->operands) + 1 > WIDTH)
			snag_printf(to, "\n%*s", (int)indent, "");
		snag_printf(to, " %s", c->operands);
	}
	snag_print(to, "\n");
}

static void option_line(const struct cli_option *o, struct snag_printer *to)
{
	char words[OPTION_BYTES], letter[] = {'-', o->letter, ',', ' ', 0};
	option_words(o, words);
	size_t width = strlen(words) + 6;
	snag_printf(to, "  %s%s", o->letter ? letter : "    ", words);
	if (width + 2 > OPTION_COLUMN)
		snag_printf(to, "\n%*s", OPTION_COLUMN, "");
	else
		snag_printf(to, "%*s", (int)(OPTION_COLUMN - width), "");
	snag_printf(to, "%s\n", o->help);
}

void cli_help_command(const struct cli_command *c, struct snag_printer *to)
{
	const struct cli_option *o;
	synopsis(c, to);
	snag_printf(to, "\n%s\nOptions:\n", c->about);
	for (size_t i = 0; (o = cli_option_at(c, i)); i++)
		option_line(o, to);
}

void cli_help_all(struct snag_printer *to)
{
	snag_print(to,
		   "Usage: snag COMMAND [OPTION]... [ARGUMENT]...\n\n"
		   "Finds data races in C and C++ programs, also those that another schedule of\n"
		   "the same program would show.\n\nCommands:\n");
	for (size_t i = 0; cli_commands[i]; i++)
		if (!cli_commands[i]->hidden)
			snag_printf(to, "  %-10s %s\n", cli_commands[i]->name,
				    cli_commands[i]->summary);
	snag_print(to, "\n'snag help COMMAND' explains one command.\n"
		       "Exit status: 0 no race, 66 races were reported, 2 bad usage or bad input,\n"
		       "125 or more: snag itself failed.\n");
}

int cli_help_show(const struct cli_command *command, struct snag_error *err)
{
	struct snag_printer to;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	if (command)
		cli_help_command(command, &to);
	else
		cli_help_all(&to);
	return snag_printer_commit(&to, err);
}
