/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.c - the options of the trace generator, declared once
 */
#include "bench/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { WHOLE64, WHOLE32, REAL, YES_NO };

struct argument {
	const char *name;
	enum kind kind;
	size_t offset; /* in struct snag_generate_options */
	const char *about;
};

#define FIELD(name) offsetof(struct snag_generate_options, name)

static const struct argument arguments[] = {
	{"--events", WHOLE64, FIELD(events), "length of the trace"},
	{"--threads", WHOLE32, FIELD(threads), "threads"},
	{"--variables", WHOLE32, FIELD(variables), "variables; V belongs to lock V mod locks"},
	{"--locks", WHOLE32, FIELD(locks), "locks; 0 needs --unprotected 1"},
	{"--hot-locks", WHOLE32, FIELD(hot_locks), "so many locks get half of the acquires"},
	{"--nesting", WHOLE32, FIELD(nesting), "most locks held at once"},
	{"--section", WHOLE32, FIELD(section), "mean accesses and branches in a section"},
	{"--locations", WHOLE32, FIELD(locations), "code sites, about"},
	{"--turn", REAL, FIELD(turn), "mean events before the scheduler draws again"},
	{"--skew", REAL, FIELD(skew), "Zipf exponent of variables and locks, 0: uniform"},
	{"--unprotected", REAL, FIELD(unprotected), "share of accesses without the lock"},
	{"--reads", REAL, FIELD(reads), "share of reads among accesses"},
	{"--branches", REAL, FIELD(branches), "share of branches among steps"},
	{"--life", REAL, FIELD(life),
	 "mean sections of a thread before another one replaces it, 0: for ever"},
	{"--fork-join", YES_NO, FIELD(fork_join),
	 "1: T0 forks and joins the others; 0: all are roots"},
	{"--seed", WHOLE64, FIELD(seed), "another number, another trace"},
};

enum { ARGUMENTS = sizeof(arguments) / sizeof(arguments[0]) };

bool snag_arguments_number(const char *text, uint64_t *ret_number)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	uint64_t number = strtoull(text, &end, 10), unit = 1;
	if (errno)
		return false;
	if (*end) {
		switch (*end++) {
		case 'k':
			unit = 1000;
			break;
		case 'M':
			unit = 1000000;
			break;
		case 'G':
			unit = 1000000000;
			break;
		default:
			return false;
		}
	}
	return *end == '\0' && !__builtin_mul_overflow(number, unit, ret_number);
}

static bool set(void *field, enum kind kind, const char *value)
{
	uint64_t number = 0;
	if (kind == REAL) {
		char *end;
		double real = strtod(value, &end);
		if (end == value || *end || !isfinite(real))
			return false;
		*(double *)field = real;
		return true;
	}
	if (!snag_arguments_number(value, &number))
		return false;
	if ((kind == WHOLE32 && number > UINT32_MAX) || (kind == YES_NO && number > 1))
		return false;
	if (kind == WHOLE64)
		*(uint64_t *)field = number;
	else if (kind == WHOLE32)
		*(uint32_t *)field = (uint32_t)number;
	else
		*(bool *)field = number;
	return true;
}

int snag_arguments_set(struct snag_generate_options *options, const char *name, const char *value,
		       struct snag_error *err)
{
	for (int i = 0; i < ARGUMENTS; i++) {
		if (strcmp(name, arguments[i].name) != 0)
			continue;
		if (!set((char *)options + arguments[i].offset, arguments[i].kind, value))
			return snag_fail(err, SNAG_EINPUT, "%s: bad value '%s'", name, value);
		return 0;
	}
	return snag_fail(err, SNAG_EINPUT, "unknown option '%s'", name);
}

static double value_of(const struct argument *a)
{
	const void *field = (const char *)&snag_generate_defaults + a->offset;
	switch (a->kind) {
	case WHOLE64:
		return (double)*(const uint64_t *)field;
	case WHOLE32:
		return *(const uint32_t *)field;
	case REAL:
		return *(const double *)field;
	case YES_NO:
		return *(const bool *)field;
	}
	return 0;
}

void snag_arguments_help(FILE *to)
{
	for (int i = 0; i < ARGUMENTS; i++)
		fprintf(to, "  %-14s %s (%.9g)\n", arguments[i].name, arguments[i].about,
			value_of(&arguments[i]));
}
