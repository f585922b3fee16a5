/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - find the subcommand, parse its options, run it, turn errors into one
 *          line and an exit status
 */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/crash.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/roomy.h"
#include "cli/suggest.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND(name) extern const struct cli_command cli_command_##name;
#include "cli/commands.def"
#undef COMMAND

const struct cli_command *const cli_commands[] = {
#define COMMAND(name) &cli_command_##name,
#include "cli/commands.def"
#undef COMMAND
	NULL};

const struct cli_command *cli_command_find(const char *name, struct snag_error *err)
{
	struct suggestion near;
	suggestion_begin(&near, name, strlen(name));
	for (size_t i = 0; cli_commands[i]; i++) {
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
		if (!cli_commands[i]->hidden)
			suggestion_offer(&near, cli_commands[i]->name);
	}
	char more[SUGGESTION_BYTES];
	snag_fail(err, SNAG_EINPUT, "unknown command '%s'%s; see 'snag help'", name,
		  suggestion_text(&near, "", more));
	return NULL;
}

static int command_run(const struct cli_command *command, char *const *word, int n,
		       struct snag_error *err)
{
	char **operand = snag_calloc((size_t)n + 1, sizeof(*operand));
	void *values = snag_calloc(1, command->values_size);
	if (command->defaults)
		memcpy(values, command->defaults, command->values_size);
	int rc = cli_options_parse(command, word, n, values, operand, err);
	if (rc > 0)
		rc = cli_help_show(command, err);
	else if (rc == 0)
		rc = command->run(values, operand, err);
	free(values);
	free(operand);
	return rc;
}

static int failed(const struct cli_command *command, const struct snag_error *err)
{
	if (cli_stop) /* stopped by a signal, and all is cleaned up: prints nothing, as if killed */
		return CLI_SIGNAL + cli_stop;
	fprintf(stderr, "snag: %s%s%s\n", command ? command->name : "", command ? ": " : "",
		err->msg);
	return err->code == SNAG_EINTERNAL ? CLI_INTERNAL : CLI_BAD;
}

/* Opens standard descriptors that are closed. Otherwise the first file that snag opens would
 * take the descriptor, and messages would go there. The descriptor is read-only, so that writing
 * to it stays an error. */
static void descriptors_fill(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			_exit(CLI_INTERNAL);
}

/* `snag-cc` is `snag cc`, for build systems that want one word. */
static int one_word_run(const struct cli_command *command, int argc, char **argv)
{
	struct snag_error err = {0};
	int rc = command_run(command, argv + 1, argc - 1, &err);
	return rc < 0 ? failed(command, &err) : rc;
}

static int tool_run(int argc, char **argv)
{
	static const char prefix[] = "snag-";
	struct snag_error err = {0};
	const char *called = argc > 0 ? basename(argv[0]) : "";
	for (size_t i = 0; cli_commands[i] && strncmp(called, prefix, strlen(prefix)) == 0; i++)
		if (cli_commands[i]->is_raw &&
		    strcmp(called + strlen(prefix), cli_commands[i]->name) == 0)
			return one_word_run(cli_commands[i], argc, argv);
	if (argc < 2) {
		snag_fail(&err, SNAG_EINPUT, "expected a command; see 'snag help'");
		return failed(NULL, &err);
	}
	const char *name = argv[1];
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
		name = "version";
	const struct cli_command *command = cli_command_find(name, &err);
	if (!command)
		return failed(NULL, &err);
	int rc = command_run(command, argv + 2, argc - 2, &err);
	return rc < 0 ? failed(command, &err) : rc;
}

int main(int argc, char **argv)
{
	descriptors_fill();
	cli_crash_begin();
	json_set_alloc_funcs(snag_alloc, free); /* so that no json_*() fails for want of memory */
	return cli_with_room(tool_run, argc, argv);
}
