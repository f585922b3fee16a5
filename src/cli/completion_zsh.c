/* SPDX-License-Identifier: Apache-2.0
 *
 * completion_zsh.c - the completion script of zsh
 */
#include "cli/completion.h"

#include <string.h>

/* Text inside a single-quoted _arguments specification. */
static void zsh_text(struct snag_printer *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			snag_print(to, "'\\''");
		else if (strchr("[]:\\", *text))
			snag_printf(to, "\\%c", *text);
		else
			snag_printf(to, "%c", *text);
	}
}

static void zsh_option(struct snag_printer *to, const struct cli_option *o)
{
	if (o->letter)
		snag_printf(to, "\t\t\t'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter,
			    o->name);
	else
		snag_printf(to, "\t\t\t'--%s[", o->name);
	zsh_text(to, o->help);
	snag_print(to, "]");
	if (o->kind != CLI_FLAG) {
		snag_printf(to, ":%s:", o->name);
		if (o->kind == CLI_CHOICE) {
			snag_print(to, "(");
			completion_choices(to, o->value);
			snag_print(to, ")");
		} else if (o->offer == CLI_OFFER_DETECTORS ||
			   o->offer == CLI_OFFER_TASK_DETECTORS) {
			snag_print(to, "_values -s , detector ");
			completion_detectors(to, o->offer);
		} else if (o->offer == CLI_OFFER_FILES) {
			snag_print(to, "_files");
		} else if (o->offer == CLI_OFFER_FOLDERS) {
			snag_print(to, "_files -/");
		}
	}
	snag_print(to, "' \\\n");
}

static void zsh_command(struct snag_printer *to, const struct cli_command *c)
{
	const struct cli_option *o;
	snag_printf(to, "\t%s)\n\t\t_arguments \\\n", c->name);
	for (size_t i = 0; (o = cli_option_at(c, i)); i++)
		zsh_option(to, o);
	if (c->offer == CLI_OFFER_FILES)
		snag_print(to, "\t\t\t'*:file:_files'");
	else if (c->offer == CLI_OFFER_COMMANDS)
		snag_print(to, "\t\t\t'1:command:(");
	if (c->offer == CLI_OFFER_COMMANDS) {
		completion_commands(to);
		snag_print(to, ")'");
	}
	snag_print(to, " ;;\n");
}

void completion_zsh(struct snag_printer *to)
{
	snag_print(to, "#compdef snag\n# zsh completion for snag; made by 'snag completion zsh'\n"
		       "local -a commands=(\n");
	for (size_t i = 0; cli_commands[i]; i++) {
		if (cli_commands[i]->hidden)
			continue;
		snag_printf(to, "\t'%s:", cli_commands[i]->name);
		zsh_text(to, cli_commands[i]->summary);
		snag_print(to, "'\n");
	}
	snag_print(to, ")\n"
		       "if ((CURRENT == 2)); then\n"
		       "\t_describe command commands\n"
		       "\treturn\n"
		       "fi\n"
		       "local command=${words[2]}\n"
		       "shift words\n"
		       "((CURRENT--))\n"
		       "case $command in\n");
	for (size_t i = 0; cli_commands[i]; i++)
		if (!cli_commands[i]->hidden)
			zsh_command(to, cli_commands[i]);
	snag_print(to, "esac\n");
}
