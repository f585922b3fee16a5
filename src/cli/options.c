/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c - parse the words of a command line by the table of a command
 */
#include "cli/options.h"

#include "cli/suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct cli_option cli_option_help = {
	.name = "help", .letter = 'h', .kind = CLI_FLAG, .help = "show this help"};

const struct cli_option *cli_option_at(const struct cli_command *command, size_t i)
{
	const struct cli_option *tables[] = {command->options, command->common};
	for (int t = 0; t < 2; t++)
		for (const struct cli_option *o = tables[t]; o && o->name; o++, i--)
			if (i == 0)
				return o;
	return i == 0 ? &cli_option_help : NULL;
}

struct parser {
	const struct cli_command *command;
	char *const *word;
	int n, at;
	char *values;
	struct snag_error *err;
};

static int usage(const struct parser *p, const char *what, const char *word, const char *more)
{
	return snag_fail(p->err, SNAG_EINPUT, "%s '%s'%s; see 'snag help %s'", what, word, more,
			 p->command->name);
}

const char *cli_choice_word(const char *words, int i, size_t *ret_len)
{
	for (; i > 0; i--) {
		words = strchr(words, '|');
		if (!words)
			return NULL;
		words++;
	}
	*ret_len = strcspn(words, "|");
	return words;
}

static int number_parse(const struct parser *p, const struct cli_option *o, const char *text,
			uint64_t *ret_number)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || number < o->min || number > o->max)
		return snag_fail(p->err, SNAG_EINPUT,
				 "--%s '%s': expected a number from %llu to %llu", o->name, text,
				 (unsigned long long)o->min, (unsigned long long)o->max);
	*ret_number = number;
	return 0;
}

static int seconds_parse(const struct parser *p, const struct cli_option *o, const char *text,
			 double *ret_seconds)
{
	static const char digits[] = "0123456789";
	size_t len = strspn(text, digits);
	bool is_decimal = len > 0;
	if (text[len] == '.') {
		size_t behind = strspn(text + len + 1, digits);
		is_decimal &= behind > 0;
		len += 1 + behind;
	}
	double seconds = is_decimal && !text[len] ? strtod(text, NULL) : -1;
	if (seconds < (double)o->min || seconds > (double)o->max)
		return snag_fail(p->err, SNAG_EINPUT,
				 "--%s '%s': expected seconds from %llu to %llu, such as 0.5",
				 o->name, text, (unsigned long long)o->min,
				 (unsigned long long)o->max);
	*ret_seconds = seconds;
	return 0;
}

static int size_parse(const struct parser *p, const struct cli_option *o, const char *text,
		      uint64_t *ret_size)
{
	static const char units[] = "KMGT";
	char *end;
	errno = 0;
	unsigned long long size = strtoull(text, &end, 10);
	bool is_size = *text >= '0' && *text <= '9' && !errno;
	const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	end += unit != NULL;
	if (!is_size || *end || size > UINT64_MAX >> shift)
		return snag_fail(p->err, SNAG_EINPUT,
				 "--%s '%s': expected a size, such as 512M or 2G", o->name, text);
	*ret_size = size << shift;
	return 0;
}

static int choice_parse(const struct parser *p, const struct cli_option *o, const char *text,
			int *ret_index)
{
	const char *word;
	size_t len;
	for (int i = 0; (word = cli_choice_word(o->value, i, &len)); i++) {
		if (strlen(text) == len && memcmp(word, text, len) == 0) {
			*ret_index = i;
			return 0;
		}
	}
	return snag_fail(p->err, SNAG_EINPUT, "--%s '%s': expected one of %s", o->name, text,
			 o->value);
}

static int option_apply(struct parser *p, const struct cli_option *o, const char *value)
{
	void *field = p->values + o->offset;
	switch (o->kind) {
	case CLI_FLAG:
		*(int *)field = o->set;
		return 0;
	case CLI_TEXT:
		if (!*value)
			return snag_fail(p->err, SNAG_EINPUT, "--%s needs a value: %s", o->name,
					 o->value);
		*(const char **)field = value;
		return 0;
	case CLI_NUMBER:
		return number_parse(p, o, value, field);
	case CLI_SECONDS:
		return seconds_parse(p, o, value, field);
	case CLI_SIZE:
		return size_parse(p, o, value, field);
	case CLI_CHOICE:
		return choice_parse(p, o, value, field);
	}
	return 0;
}

/* `value` is what stood behind '=' or behind the letter, or NULL. */
static int option_take(struct parser *p, const struct cli_option *o, const char *value)
{
	if (o->kind == CLI_FLAG && value)
		return snag_fail(p->err, SNAG_EINPUT, "--%s takes no value", o->name);
	if (o == &cli_option_help)
		return 1;
	if (o->kind != CLI_FLAG && !value) {
		if (p->at == p->n)
			return snag_fail(p->err, SNAG_EINPUT, "--%s needs a value: %s", o->name,
					 o->value);
		value = p->word[p->at++];
	}
	return option_apply(p, o, value);
}

static int long_option(struct parser *p, const char *word)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	struct suggestion near;
	suggestion_begin(&near, name, len);

	const struct cli_option *o;
	for (size_t i = 0; (o = cli_option_at(p->command, i)); i++) {
		if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
			return option_take(p, o, value);
		suggestion_offer(&near, o->name);
	}
	char more[SUGGESTION_BYTES];
	return usage(p, "unknown option", word, suggestion_text(&near, "--", more));
}

static int short_option(struct parser *p, const char *word)
{
	const struct cli_option *o;
	for (size_t i = 0; (o = cli_option_at(p->command, i)); i++)
		if (o->letter == word[1])
			return option_take(p, o, word[2] ? word + 2 : NULL);
	return usage(p, "unknown option", word, "");
}

int cli_options_parse(const struct cli_command *command, char *const *word, int n, void *values,
		      char **operand, struct snag_error *err)
{
	struct parser p = {.command = command, .word = word, .n = n, .values = values, .err = err};
	unsigned noperands = 0;
	bool options_ended = command->is_raw;
	while (p.at < n) {
		char *w = word[p.at++];
		int rc = 0;
		if (noperands && command->max_operands == CLI_ALL_OPERANDS)
			options_ended = true;
		if (!options_ended && strcmp(w, "--") == 0) {
			options_ended = true;
		} else if (!options_ended && w[0] == '-' && w[1]) {
			rc = w[1] == '-' ? long_option(&p, w) : short_option(&p, w);
		} else if (noperands == command->max_operands) {
			rc = usage(&p, "unexpected argument", w, "");
		} else {
			operand[noperands++] = w;
		}
		if (rc)
			return rc;
	}
	operand[noperands] = NULL;
	if (noperands < command->min_operands)
		return snag_fail(err, SNAG_EINPUT, "expected %s; see 'snag help %s'",
				 command->operands, command->name);
	return 0;
}
