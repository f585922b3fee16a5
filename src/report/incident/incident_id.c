/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_id.c - the id of an incident, the same in every run and after lines have moved
 *
 * Idea.   An id is a hash of what the two accesses and their object are called: the file and
 *         function of each access, and the object.  Lines, columns, kinds of access, addresses
 *         and compilers do not take part in it.
 * Rules.  [alike]   Incidents of the same two lines and the same object have one id: they are
 *                   one cause (incident_group.h).
 *         [object]  A global is its name, as C programmers write it.  A heap block is the
 *                   function that allocated it.  A stack is only that: its variables have no
 *                   names that every compiler tells.
 *         [same]    Two stack variables are the same if the source calls them the same, or if
 *                   they share memory.
 *         [bare]    A function is the last part of its name, without arguments: gcc says no more of
 *                   functions that other files cannot call, and numbers lambdas as it likes.
 *         [again]   If other lines have the same hash, they get -2, -3 ... in the order of
 *                   their lines.
 * Cost.   O(n log n), and a comparison for each pair of incidents of the same two lines.
 */
#include "report/incident/incident.h"

#include "base/memory.h"
#include "base/strtab.h"
#include "report/incident/incident_group.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = SNAG_PLACES_KEY / 2 };

/* Incidents that are one cause. */
struct cause {
	uint32_t hash;
	uint32_t lines[2]; /* ascending */
	size_t first;	   /* incident */
	size_t next;	   /* the cause before it with the same lines; SIZE_MAX: none */
	char id[sizeof(((struct snag_incident *)0)->id)];
};

/* Joins two texts, the smaller one first, into `key`; returns the length. */
static size_t pair_key(char key[SNAG_PLACES_KEY], char text[2][KEY])
{
	bool swap = strcmp(text[0], text[1]) > 0;
	return (size_t)snprintf(key, SNAG_PLACES_KEY, "%s / %s", text[swap], text[!swap]);
}

size_t snag_incident_places(const struct snag_callstack stack[2], bool has_columns,
			    char key[SNAG_PLACES_KEY])
{
	char text[2][KEY];
	for (int i = 0; i < 2; i++) {
		const struct snag_frame *f = &stack[i].frame[0];
		snprintf(text[i], KEY, "%s:%u:%u %s+%llx", f->file ? f->file : "", f->line,
			 has_columns ? f->column : 0,
			 f->file || !f->module ? "" : basename(f->module),
			 f->file ? 0 : (unsigned long long)f->offset);
	}
	return pair_key(key, text);
}

/* Returns the end of the brackets that begin at `at`. */
static const char *brackets_end(const char *at)
{
	int depth = 0;
	for (; *at; at++) {
		depth += strchr("<({", *at) != NULL;
		depth -= strchr(">)}", *at) != NULL;
		if (depth == 0)
			return at + 1;
	}
	return at;
}

/* [bare] Writes the last part of the name of a function, without its arguments. */
static void function_put(const char *name, char *to, size_t room)
{
	static const char op[] = "operator", unnamed[] = "(anonymous namespace)";
	const char *begin = name, *end = name;
	while (*end && *end != '[') {
		if (end == begin && strncmp(end, op, strlen(op)) == 0 &&
		    !isalnum((unsigned char)end[strlen(op)])) {
			end += strlen(op);
			end += strncmp(end, "()", 2) == 0 ? 2 : strcspn(end, "(");
			break;
		}
		if (*end == ':' || *end == ' ')
			begin = ++end;
		else if (*end == '(' && strncmp(end, unnamed, strlen(unnamed)) != 0)
			break;
		else
			end = strchr("<({", *end) ? brackets_end(end) : end + 1;
	}
	size_t n = (size_t)(end - begin);
	if (*begin != 'o' || strncmp(begin, op, strlen(op)) != 0) {
		const char *arguments = memchr(begin, '<', n);
		n = arguments ? (size_t)(arguments - begin) : n;
	}
	snprintf(to, room, "%.*s", (int)n, begin);
}

/* [object] C compilers call a static variable of a function count.0, or f.count. */
static void global_put(const char *name, size_t length, char *to, size_t room)
{
	size_t end = length;
	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end > 1 && end < length && name[end - 1] == '.')
		length = end - 1;
	if (!memchr(name, '(', length)) {
		const char *dot = memrchr(name, '.', length);
		if (dot && dot + 1 < name + length) {
			length -= (size_t)(dot + 1 - name);
			name = dot + 1;
		}
	}
	snprintf(to, room, "%.*s", (int)length, name);
}

/* The function that allocated a block: the first one with a source file. */
static void block_put(const struct snag_names *names, snag_loc loc, char *to, size_t room)
{
	struct snag_callstack s;
	size_t i = 0;
	snag_callstack_read(names, loc, &s);
	while (i + 1 < s.n && !(s.frame[i].file && s.frame[i].function))
		i++;
	const struct snag_frame *f = &s.frame[i];
	snprintf(to, room, "heap %.1000s:", f->file ? basename(f->file) : "");
	if (f->function)
		function_put(f->function, to + strlen(to), room - strlen(to));
	snag_callstack_done(&s);
}

static const char *variable_of(const struct snag_incident *in, const struct snag_names *names)
{
	return snag_name(names, SNAG_SPACE_VARIABLE, in->race->second.target);
}

static void object_put(const struct snag_incident *in, const struct snag_names *names, char *to,
		       size_t room)
{
	const char *variable = variable_of(in, names);
	struct snag_object_name o = snag_object_name(variable);
	if (o.kind == SNAG_OBJECT_GLOBAL)
		global_put(variable, o.length, to, room);
	else if (o.kind == SNAG_OBJECT_HEAP)
		block_put(names, o.loc, to, room);
	else
		snprintf(to, room, "%s", o.kind == SNAG_OBJECT_STACK ? "stack" : "");
}

static uint32_t id_hash(const struct snag_incident *in, const struct snag_names *names,
			char key[SNAG_PLACES_KEY])
{
	char text[2][KEY], object[KEY];
	for (int i = 0; i < 2; i++) {
		const struct snag_frame *f = &in->stack[i].frame[0];
		const char *where = f->file ? f->file : f->module;
		snprintf(text[i], KEY, "%.1000s:", where ? basename(where) : "");
		if (f->function)
			function_put(f->function, text[i] + strlen(text[i]), KEY - strlen(text[i]));
	}
	size_t n = pair_key(key, text);
	object_put(in, names, object, sizeof(object));
	n += (size_t)snprintf(key + n, SNAG_PLACES_KEY - n, " on %s, %s", object,
			      snag_incident_kind_name[snag_incident_kind(in)]);
	return snag_strtab_hash(key, n < SNAG_PLACES_KEY ? n : SNAG_PLACES_KEY - 1);
}

static bool share_a_variable(const struct snag_variables *a, const struct snag_variables *b)
{
	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		if (a->at[i] == b->at[k])
			return true;
		if (a->at[i] < b->at[k])
			i++;
		else
			k++;
	}
	return false;
}

static bool is_same_object(const struct snag_incident *a, const struct snag_incident *b,
			   const struct snag_names *names)
{
	const char *name[2] = {variable_of(a, names), variable_of(b, names)};
	struct snag_object_name o[2] = {snag_object_name(name[0]), snag_object_name(name[1])};
	if (o[0].kind != o[1].kind || snag_incident_kind(a) != snag_incident_kind(b))
		return false;
	switch (o[0].kind) {
	case SNAG_OBJECT_GLOBAL:
		return o[0].length == o[1].length && memcmp(name[0], name[1], o[0].length) == 0;
	case SNAG_OBJECT_HEAP:
		return o[0].loc == o[1].loc;
	default: /* [same] */
		return (a->called && b->called && strcmp(a->called, b->called) == 0) ||
		       share_a_variable(&a->variables, &b->variables);
	}
}

static int by_hash(const void *pa, const void *pb)
{
	const struct cause *a = *(struct cause *const *)pa, *b = *(struct cause *const *)pb;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	for (int i = 0; i < 2; i++)
		if (a->lines[i] != b->lines[i])
			return a->lines[i] < b->lines[i] ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* [again] */
static void ids_write(struct cause *cause, size_t n)
{
	struct cause **sorted = snag_calloc(n, sizeof(struct cause *));
	for (size_t i = 0; i < n; i++)
		sorted[i] = &cause[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_hash);
	for (size_t i = 0, same = 0; i < n; i++) {
		struct cause *c = sorted[i];
		same = i && sorted[i - 1]->hash == c->hash ? same + 1 : 1;
		int len = snprintf(c->id, sizeof(c->id), "R-%08x", c->hash);
		if (same > 1)
			snprintf(c->id + len, sizeof(c->id) - (size_t)len, "-%u", (unsigned)same);
	}
	free(sorted);
}

void snag_incidents_identify(struct snag_incidents *in, const struct snag_names *names)
{
	struct cause *cause = snag_calloc(in->n, sizeof(*cause));
	size_t *of = snag_calloc(in->n, sizeof(*of)), *last = snag_calloc(in->n, sizeof(*last));
	size_t n = 0;
	char *key = snag_alloc(SNAG_PLACES_KEY);
	struct snag_strtab lines;
	snag_strtab_init(&lines);
	for (size_t i = 0; i < in->n; i++) {
		uint32_t known = lines.n;
		uint32_t at = snag_strtab_intern(&lines, key,
						 snag_incident_places(in->at[i].stack, false, key));
		size_t c = at < known ? last[at] : SIZE_MAX;
		while (c != SIZE_MAX && !is_same_object(&in->at[cause[c].first], &in->at[i], names))
			c = cause[c].next;
		of[i] = c;
		if (c != SIZE_MAX) /* [alike] */
			continue;
		uint32_t line[2] = {in->at[i].stack[0].frame[0].line,
				    in->at[i].stack[1].frame[0].line};
		bool swap = line[0] > line[1];
		cause[n] = (struct cause){.hash = id_hash(&in->at[i], names, key),
					  .lines = {line[swap], line[!swap]},
					  .first = i,
					  .next = at < known ? last[at] : SIZE_MAX};
		last[at] = of[i] = n++;
	}
	ids_write(cause, n);
	for (size_t i = 0; i < in->n; i++)
		memcpy(in->at[i].id, cause[of[i]].id, sizeof(in->at[i].id));
	snag_strtab_done(&lines);
	free(key);
	free(last);
	free(of);
	free(cause);
}
