/* SPDX-License-Identifier: Apache-2.0
 *
 * callstack.c - the locations of a recorded program: one name is one frame of a stack
 */
#include "trace/callstack.h"

#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Text that grows in a buffer of fixed size, and knows how long it would be. */
struct text {
	char *at;
	size_t room, n;
};

static void put(struct text *t, char c)
{
	if (t->n + 1 < t->room)
		t->at[t->n] = c;
	t->n++;
}

static void put_plain(struct text *t, const char *s)
{
	while (*s)
		put(t, *s++);
}

/* Puts at most so many bytes. */
static void put_escaped(struct text *t, const char *s, size_t most)
{
	static const char hex[] = "0123456789abcdef";
	const size_t begin = t->n;
	for (; s && *s && t->n - begin + 3 <= most; s++) {
		unsigned char c = (unsigned char)*s;
		if (c > ' ' && c != 0x7f && !strchr("~|%", c)) {
			put(t, *s);
			continue;
		}
		put(t, '%');
		put(t, hex[c >> 4]);
		put(t, hex[c & 15]);
	}
}

static size_t text_end(struct text *t)
{
	if (t->room)
		t->at[t->n < t->room ? t->n : t->room - 1] = 0;
	return t->n;
}

/* How much of the name of the function fits, so that what follows it fits, too. */
static size_t function_room(const struct snag_frame *f, const struct text *t)
{
	enum { NUMBERS = 64 }; /* the offset, the caller, and what separates them */
	struct text module = {0};
	put_escaped(&module, f->module, SIZE_MAX);
	const size_t rest = t->n + module.n + NUMBERS;
	return t->room > rest ? t->room - rest : 0;
}

size_t snag_frame_name(const struct snag_frame *f, uint32_t caller, char *buf, size_t room)
{
	struct text t = {.at = buf, .room = room};
	char number[64];
	bool has_module = f->module || f->offset, has_caller = caller != SNAG_NO_ID;
	if (f->file) {
		put_escaped(&t, f->file, SIZE_MAX);
		snprintf(number, sizeof(number), ":%u:%u", f->line, f->column);
		put_plain(&t, number);
	}
	if (f->function || has_module || has_caller || !f->file) {
		put(&t, '~');
		put_escaped(&t, f->function, function_room(f, &t));
	}
	if (has_module || has_caller) {
		put(&t, '~');
		if (has_module) {
			put_escaped(&t, f->module, SIZE_MAX);
			snprintf(number, sizeof(number), "+0x%" PRIx64, f->offset);
			put_plain(&t, number);
		}
	}
	if (has_caller) {
		snprintf(number, sizeof(number), "~%s%u", f->is_inlined ? "^" : "", caller);
		put_plain(&t, number);
	}
	return text_end(&t);
}

/* Cuts the next field off *s, decodes it in place, and returns it; NULL: it is empty. */
static char *field(char **s)
{
	char *from = *s, *to = *s, *start = *s;
	for (; *from && *from != '~'; from++) {
		if (*from == '%' && isxdigit((unsigned char)from[1]) &&
		    isxdigit((unsigned char)from[2])) {
			char hex[3] = {from[1], from[2], 0};
			*to++ = (char)strtoul(hex, NULL, 16);
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*s = *from ? from + 1 : from;
	*to = 0;
	return to > start ? start : NULL;
}

/* Cuts a number off the end of `s`, behind the last colon; false: there is none. */
static bool cut_number(char *s, uint32_t *ret)
{
	char *colon = strrchr(s, ':');
	if (!colon || colon == s || !colon[1] || strlen(colon + 1) > 9 ||
	    colon[1 + strspn(colon + 1, "0123456789")])
		return false;
	*ret = (uint32_t)strtoul(colon + 1, NULL, 10);
	*colon = 0;
	return true;
}

static void place_parse(char *place, struct snag_frame *f)
{
	uint32_t last, before;
	f->file = place;
	if (!place || !cut_number(place, &last))
		return;
	if (cut_number(place, &before)) {
		f->line = before;
		f->column = last;
	} else {
		f->line = last;
	}
}

static void module_parse(char *module, struct snag_frame *f)
{
	char *plus = module ? strrchr(module, '+') : NULL;
	if (!plus)
		return;
	f->offset = strtoull(plus + 1, NULL, 16);
	*plus = 0;
	f->module = *module ? module : NULL;
}

/* The function of the runtime that calls `main`. */
static const char calls_main[] = "snag_calls_main";

/* Decodes a name in place. */
static void name_parse(char *name, struct snag_frame *f)
{
	*f = (struct snag_frame){0};
	char *place = field(&name);
	f->function = field(&name);
	char *module = field(&name), *caller = field(&name);
	place_parse(place, f);
	module_parse(module, f);
	f->is_inlined = caller && *caller == '^';
	if (f->function && strcmp(f->function, calls_main) == 0)
		*f = (struct snag_frame){.function = f->function + strlen("snag_calls_")};
}

/* The caller a name ends with, or SNAG_NO_ID. */
static uint32_t name_caller(const char *name)
{
	for (int skip = 0; skip < 3; skip++) {
		name = strchr(name, '~');
		if (!name++)
			return SNAG_NO_ID;
	}
	name += *name == '^';
	return *name ? (uint32_t)strtoul(name, NULL, 10) : SNAG_NO_ID;
}

void snag_callstack_read(const struct snag_names *names, snag_loc loc, struct snag_callstack *ret)
{
	const struct snag_strtab *locations = &names->space[SNAG_SPACE_LOCATION];
	size_t n = 0, nbytes = 0, room = 0, offset[SNAG_MAX_CALLSTACK];
	char *text = NULL;
	for (uint32_t at = loc; at < locations->n && n < SNAG_MAX_CALLSTACK;) {
		const char *name = snag_strtab_get(locations, at);
		size_t len = strlen(name) + 1;
		text = snag_grow(text, &room, nbytes + len, 1);
		memcpy(text + nbytes, name, len);
		offset[n++] = nbytes;
		nbytes += len;
		/* A caller was named before: numbers fall, so hostile names make no circle. */
		uint32_t caller = name_caller(name);
		if (caller >= at)
			break;
		at = caller;
	}
	*ret = (struct snag_callstack){
		.frame = snag_calloc(n ? n : 1, sizeof(*ret->frame)), .n = n ? n : 1, .text = text};
	for (size_t i = 0; i < n; i++) {
		name_parse(text + offset[i], &ret->frame[i]);
		const char *function = ret->frame[i].function;
		if (function && strcmp(function, "main") == 0)
			ret->n = n = i + 1;
	}
}

void snag_callstack_done(struct snag_callstack *stack)
{
	free(stack->frame);
	free(stack->text);
	*stack = (struct snag_callstack){0};
}

size_t snag_location_text(const struct snag_names *names, snag_loc loc, char *buf, size_t room)
{
	struct text t = {.at = buf, .room = room};
	char number[64];
	const char *name = snag_name(names, SNAG_SPACE_LOCATION, loc);
	if (!strchr(name, '~')) {
		put_plain(&t, name);
		return text_end(&t);
	}
	size_t len = strlen(name) + 1;
	char *copy = snag_alloc(len);
	struct snag_frame f;
	memcpy(copy, name, len);
	name_parse(copy, &f);
	if (f.file) {
		put_plain(&t, f.file);
		snprintf(number, sizeof(number), f.column ? ":%u:%u" : ":%u", f.line, f.column);
		put_plain(&t, f.line ? number : "");
	} else if (f.module || f.offset) {
		put_plain(&t, f.module ? f.module : "");
		snprintf(number, sizeof(number), f.module ? "+0x%" PRIx64 : "0x%" PRIx64, f.offset);
		put_plain(&t, number);
	} else {
		put_plain(&t, f.function ? f.function : "?");
	}
	free(copy);
	return text_end(&t);
}
