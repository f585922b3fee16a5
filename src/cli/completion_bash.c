/* SPDX-License-Identifier: Apache-2.0
 *
 * completion_bash.c - the completion script of bash
 */
#include "cli/completion.h"

static void bash_value(struct snag_printer *to, const struct cli_option *o)
{
	snag_printf(to, "\t\t--%s)", o->name);
	if (o->kind == CLI_CHOICE) {
		snag_print(to, " COMPREPLY=($(compgen -W '");
		completion_choices(to, o->value);
		snag_print(to, "' -- \"$cur\"))");
	} else if (o->offer == CLI_OFFER_DETECTORS || o->offer == CLI_OFFER_TASK_DETECTORS) {
		snag_print(to, " COMPREPLY=($(compgen -P \"$head\" -W '");
		completion_detectors(to, o->offer);
		snag_print(to, "' -- \"${cur##*,}\"))");
	} else if (o->offer == CLI_OFFER_FILES) {
		snag_print(to, " COMPREPLY=($(compgen -f -- \"$cur\"))");
	} else if (o->offer == CLI_OFFER_FOLDERS) {
		snag_print(to, " COMPREPLY=($(compgen -d -- \"$cur\"))");
	}
	snag_print(to, "\n\t\t\treturn ;;\n");
}

static void bash_command(struct snag_printer *to, const struct cli_command *c)
{
	const struct cli_option *o;
	snag_printf(to, "\t%s)\n\t\tcase $prev in\n", c->name);
	for (size_t i = 0; (o = cli_option_at(c, i)); i++)
		if (o->kind != CLI_FLAG)
			bash_value(to, o);
	snag_print(to, "\t\tesac\n\t\toptions='");
	for (size_t i = 0; (o = cli_option_at(c, i)); i++)
		snag_printf(to, "%s--%s", i ? " " : "", o->name);
	snag_print(to, "'");
	if (c->offer == CLI_OFFER_FILES)
		snag_print(to, " files=1");
	else if (c->offer == CLI_OFFER_COMMANDS)
		snag_print(to, " words=$commands");
	snag_print(to, " ;;\n");
}

void completion_bash(struct snag_printer *to)
{
	snag_print(to, "# bash completion for snag; made by 'snag completion bash'\n"
		       "_snag()\n{\n"
		       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
		       "\tlocal head='' options='' words='' files=''\n"
		       "\tlocal commands='");
	completion_commands(to);
	snag_print(to, "'\n"
		       "\t[[ $cur == *,* ]] && head=${cur%,*},\n"
		       "\tCOMPREPLY=()\n"
		       "\tif ((COMP_CWORD == 1)); then\n"
		       "\t\tCOMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$cur\"))\n"
		       "\t\treturn\n"
		       "\tfi\n"
		       "\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; cli_commands[i]; i++)
		if (!cli_commands[i]->hidden)
			bash_command(to, cli_commands[i]);
	snag_print(to, "\tesac\n"
		       "\tif [[ $cur == -* ]]; then\n"
		       "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
		       "\telif [[ $words ]]; then\n"
		       "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		       "\telif [[ $files ]]; then\n"
		       "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
		       "\tfi\n"
		       "}\n"
		       "complete -o filenames -F _snag snag\n");
}
