/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c - SNAG_OPTIONS=key=value:key=value
 *
 * Separators are : , space, tab and newline; a value may be quoted with ' or ".
 * In SNAG_OPTIONS an unknown key is an error, in TSAN_OPTIONS it is somebody else's.
 * Options of `snag run` come with the channel, and the program does not see them.
 */
#include "runtime/options.h"

#include "runtime/channel.h"
#include "runtime/fail.h"
#include "runtime/sys.h"

#include <string.h>
#include <sys/auxv.h>

extern char **environ;

struct rt_options rt_options = {
#define NUMBER(name, value, about) .name = value,
#define SHARED(name, value, about) .name = value,
#define TEXT(name, value, about) .name = value,
#define TOOL(name, about)
#include "runtime/options.def"
#undef NUMBER
#undef SHARED
#undef TEXT
#undef TOOL
	.channel = -1,
};

enum kind { KIND_NUMBER, KIND_TEXT, KIND_TOOL };

static const struct option {
	const char *name;
	enum kind kind;
	bool is_shared;
	void *field;
	const char *about;
} options[] = {
#define NUMBER(name, value, about) {#name, KIND_NUMBER, false, &rt_options.name, about},
#define SHARED(name, value, about) {#name, KIND_NUMBER, true, &rt_options.name, about},
#define TEXT(name, value, about) {#name, KIND_TEXT, false, rt_options.name, about},
#define TOOL(name, about) {#name, KIND_TOOL, true, (void *)"", about},
#include "runtime/options.def"
#undef NUMBER
#undef SHARED
#undef TEXT
#undef TOOL
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

struct piece { /* of the variable's text */
	const char *at;
	size_t n;
};

static bool piece_is(const struct piece *p, const char *word)
{
	size_t i = 0;
	while (i < p->n && word[i] && word[i] == p->at[i])
		i++;
	return i == p->n && !word[i];
}

__attribute__((noreturn)) static void refuse(const char *what, const struct piece *p)
{
	struct rt_line line = {.n = 0};
	char copy[128] = {0};
	for (size_t i = 0; i < p->n && i < sizeof(copy) - 1; i++)
		copy[i] = p->at[i] < ' ' || p->at[i] > '~' ? '?' : p->at[i];
	rt_line_text(&line, "SNAG_OPTIONS: ");
	rt_line_text(&line, what);
	rt_line_text(&line, " '");
	rt_line_text(&line, copy);
	rt_line_text(&line, "'; SNAG_OPTIONS=help=1 lists the options");
	rt_fail(line.text);
}

static bool number_read(const struct piece *p, int64_t *ret_number)
{
	int64_t number = 0;
	bool is_negative = p->n > 1 && p->at[0] == '-';
	for (size_t i = is_negative; i < p->n; i++) {
		if (p->at[i] < '0' || p->at[i] > '9' || number > INT64_MAX / 10 - 10)
			return false;
		number = number * 10 + (p->at[i] - '0');
	}
	*ret_number = is_negative ? -number : number;
	return p->n > 0;
}

static void option_set(const struct option *o, const struct piece *value)
{
	if (o->kind == KIND_TOOL)
		return;
	if (o->kind == KIND_NUMBER) {
		if (!number_read(value, o->field))
			refuse("not a number:", value);
		return;
	}
	if (value->n >= sizeof(rt_options.schedule))
		refuse("too long:", value);
	memcpy(o->field, value->at, value->n);
	((char *)o->field)[value->n] = 0;
}

static void pair_take(const struct piece *key, const struct piece *value, bool is_tsan)
{
	for (int i = 0; i < OPTIONS; i++) {
		if (!piece_is(key, options[i].name))
			continue;
		if (!is_tsan || options[i].is_shared)
			option_set(&options[i], value);
		return;
	}
	if (!is_tsan)
		refuse("unknown option", key);
}

static bool is_separator(char c)
{
	return c == ':' || c == ',' || c == ' ' || c == '\t' || c == '\n';
}

static void text_read(const char *s, bool is_tsan)
{
	while (*s) {
		if (is_separator(*s)) {
			s++;
			continue;
		}
		struct piece key = {s, 0}, value;
		while (*s && *s != '=' && !is_separator(*s))
			s++;
		key.n = (size_t)(s - key.at);
		if (*s != '=') {
			if (!is_tsan)
				refuse("expected key=value:", &key);
			continue;
		}
		s++;
		char quote = *s == '\'' || *s == '"' ? *s++ : 0;
		value.at = s;
		while (*s && (quote ? *s != quote : !is_separator(*s)))
			s++;
		value.n = (size_t)(s - value.at);
		if (quote && *s)
			s++;
		pair_take(&key, &value, is_tsan);
	}
}

__attribute__((noreturn)) static void help(void)
{
	for (int i = 0; i < OPTIONS; i++) {
		const struct option *o = &options[i];
		struct rt_line line = {.n = 0};
		rt_line_text(&line, o->name);
		rt_line_text(&line, "=");
		if (o->kind != KIND_NUMBER)
			rt_line_text(&line, o->field);
		else
			rt_line_number(&line, (uint64_t) * (int64_t *)o->field);
		rt_line_text(&line, "\t");
		rt_line_text(&line, o->about);
		rt_line_print(&line);
	}
	rt_sys_exit(0);
}

/* Where it is in the environment; NULL: it is not. */
static char **variable_find(const char *name)
{
	size_t n = strlen(name);
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return e;
	return NULL;
}

static const char *variable(const char *name)
{
	char **e = variable_find(name);
	return e ? *e + strlen(name) + 1 : "";
}

/* [guest] The program does not see the variable, nor do programs that it starts. */
static void variable_remove(const char *name)
{
	for (char **e = variable_find(name); e && *e; e++)
		e[0] = e[1];
}

/* What `snag run` says, then the user: later words win. */
static void words_read(const char *tool, const char *own)
{
	text_read(tool, false);
	text_read(own, false);
}

void rt_options_read(void)
{
	if (getauxval(AT_SECURE)) /* who starts a program with more rights must not steer it */
		return;
	const char *own = variable("SNAG_OPTIONS"), *tool = variable(RT_CHANNEL_ENV);
	struct piece number = {tool, 0};
	for (; *tool && *tool != ':'; tool++)
		number.n++;
	words_read(tool, own);
	if (!rt_options.ignore_tsan_options) {
		text_read(variable("TSAN_OPTIONS"), true);
		words_read(tool, own); /* what is said to snag goes before */
	}
	if (!number_read(&number, &rt_options.channel))
		rt_options.channel = -1;
	variable_remove(RT_CHANNEL_ENV);
	if (rt_options.help)
		help();
}
