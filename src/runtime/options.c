/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c - SNAG_OPTIONS=key=value:key=value
 *
 * Separators are : , space, tab and newline; a value may be quoted with ' or ".
 * In SNAG_OPTIONS an unknown key is an error; in TSAN_OPTIONS it is ignored.  Numbers may be
 * ThreadSanitizer's words: true, yes, false, no.
 */
#include "runtime/options.h"

#include "runtime/channel/channel.h"
#include "runtime/fail.h"
#include "runtime/channel/record.h"
#include "runtime/sys.h"

#include <string.h>

extern char **environ;
/* The program may have these. */
extern const char *__tsan_default_options(void) __attribute__((weak));
extern const char *__tsan_default_suppressions(void) __attribute__((weak));

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

struct piece { /* a part of the variable's text */
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

__attribute__((noreturn)) static void refuse(const char *what, const struct piece *p, bool is_tsan)
{
	struct rt_line line = {.n = 0};
	char copy[128] = {0};
	for (size_t i = 0; i < p->n && i < sizeof(copy) - 1; i++)
		copy[i] = p->at[i] < ' ' || p->at[i] > '~' ? '?' : p->at[i];
	rt_line_text(&line, is_tsan ? "TSAN_OPTIONS: " : "SNAG_OPTIONS: ");
	rt_line_text(&line, what);
	rt_line_text(&line, " '");
	rt_line_text(&line, copy);
	rt_line_text(&line, "'; SNAG_OPTIONS=help=1 lists the options");
	rt_fail(line.text);
}

/* ThreadSanitizer's words for 0 and 1 are numbers, too. */
static bool word_read(const struct piece *p, int64_t *ret_number)
{
	bool is_true = piece_is(p, "true") || piece_is(p, "yes");
	if (is_true || piece_is(p, "false") || piece_is(p, "no"))
		*ret_number = is_true;
	else
		return false;
	return true;
}

static bool number_read(const struct piece *p, int64_t *ret_number)
{
	int64_t number = 0;
	if (word_read(p, ret_number))
		return true;
	bool is_negative = p->n > 1 && p->at[0] == '-';
	for (size_t i = is_negative; i < p->n; i++) {
		if (p->at[i] < '0' || p->at[i] > '9' || number > INT64_MAX / 10 - 10)
			return false;
		number = number * 10 + (p->at[i] - '0');
	}
	*ret_number = is_negative ? -number : number;
	return p->n > 0;
}

static void option_set(const struct option *o, const struct piece *value, bool is_tsan)
{
	if (o->kind == KIND_TOOL)
		return;
	if (o->kind == KIND_NUMBER) {
		if (!number_read(value, o->field))
			refuse("not a number:", value, is_tsan);
		return;
	}
	if (value->n >= sizeof(rt_options.schedule))
		refuse("too long:", value, is_tsan);
	memcpy(o->field, value->at, value->n);
	((char *)o->field)[value->n] = 0;
}

static void pair_take(const struct piece *key, const struct piece *value, bool is_tsan)
{
	for (int i = 0; i < OPTIONS; i++) {
		if (!piece_is(key, options[i].name))
			continue;
		if (!is_tsan || options[i].is_shared)
			option_set(&options[i], value, is_tsan);
		return;
	}
	if (!is_tsan)
		refuse("unknown option", key, false);
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
				refuse("expected key=value:", &key, false);
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

static char **variable_find(const char *name)
{
	static char *none;
	size_t n = strlen(name);
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return e;
	return &none;
}

const char *rt_options_variable(const char *name)
{
	const char *found = *variable_find(name);
	return found ? found + strlen(name) + 1 : "";
}

void rt_options_channel(const char *text)
{
	const char *own = rt_options_variable("SNAG_OPTIONS");
	struct piece number = {text, 0};
	while (text[number.n] && text[number.n] != ':')
		number.n++;
	text_read(text + number.n, false);
	text_read(own, false);
	if (!rt_options.ignore_tsan_options) {
		if (__tsan_default_options)
			text_read(__tsan_default_options(), true);
		text_read(rt_options_variable("TSAN_OPTIONS"), true);
		text_read(own, false); /* options for snag come before the program's own */
	}
	if (!number_read(&number, &rt_options.channel))
		rt_options.channel = -1;
	if (rt_options.schedule[0]) /* threads that follow a schedule take turns */
		rt_options.free = 0;
}

void rt_options_add(const char *text)
{
	text_read(text, false);
}

void rt_options_read(void)
{
	rt_options_channel(rt_options_variable(RT_CHANNEL_ENV));
	if (rt_options.help)
		help();
}

static void default_report(enum rt_default which, const char *text)
{
	enum { PIECE = 1024 };
	for (size_t n = strlen(text), at = 0; at < n; at += PIECE) {
		rt_record_text(RT_MODULE, 0, text + at, n - at < PIECE ? n - at : PIECE);
		rt_put(RT_DEFAULT, 0, 0, 0, which);
	}
}

void rt_options_report(void)
{
	if (!rt.listener.needs_places) /* nor, then, a report */
		return;
	if (__tsan_default_options)
		default_report(RT_DEFAULT_OPTIONS, __tsan_default_options());
	if (__tsan_default_suppressions)
		default_report(RT_DEFAULT_SUPPRESSIONS, __tsan_default_suppressions());
}

void rt_options_hide(void)
{
	for (char **e = variable_find(RT_CHANNEL_ENV); *e; e++)
		e[0] = e[1];
}
