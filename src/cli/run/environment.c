/* SPDX-License-Identifier: Apache-2.0
 *
 * environment.c - options in SNAG_OPTIONS, TSAN_OPTIONS and the program that are for the tool
 *
 * key=value pairs with : , or white space between them; a value may be quoted with ' or ".  The
 * last one counts.  What is wrong there, the runtime says.
 */
#include "cli/run/environment.h"

#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char separators[] = ":, \t\n";

/* The value at s, and where it ends. */
static const char *value_end(const char **s)
{
	char quote = **s == '\'' || **s == '"' ? *(*s)++ : 0;
	const char *end = quote ? strchr(*s, quote) : *s + strcspn(*s, separators);
	return end ? end : *s + strlen(*s);
}

static const char *option_in(const char *s, const char *key, char *to, size_t room)
{
	const char *found = NULL;
	size_t len = strlen(key);
	while (s && *(s += strspn(s, separators))) {
		size_t n = strcspn(s, "=:, \t\n");
		bool is_it = n == len && strncmp(s, key, n) == 0;
		s += n;
		if (*s != '=')
			continue;
		s++;
		const char *end = value_end(&s);
		if (is_it && (size_t)(end - s) >= room) {
			fprintf(stderr,
				"snag: the value of option %s in the environment is too long\n",
				key);
			exit(CLI_BAD);
		}
		if (is_it) {
			memcpy(to, s, (size_t)(end - s));
			to[end - s] = 0;
			found = to;
		}
		s = *end == '\'' || *end == '"' ? end + 1 : end;
	}
	return found;
}

static const char *defaults; /* of the program */

void cli_environment_defaults(const char *text)
{
	defaults = text;
}

const char *cli_environment_option(const char *key, bool is_shared, char *to, size_t room)
{
	const char *found = option_in(getenv("SNAG_OPTIONS"), key, to, room);
	if (!found && is_shared)
		found = option_in(getenv("TSAN_OPTIONS"), key, to, room);
	return found || !is_shared ? found : option_in(defaults, key, to, room);
}
