/* SPDX-License-Identifier: Apache-2.0
 *
 * extent.c - which part of an array or block the races of two lines cover
 */
#include "report/incident/extent.h"

#include "report/source/origins.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the place of a variable in its object; `object` is the length of the object's name.  A
 * name that is used again has a number after it. */
static int64_t offset_of(const char *name, size_t object)
{
	const char *at = name + object;
	int64_t offset = *at ? strtoll(at + 1, NULL, 0) : 0;
	return *at == '-' ? -offset : *at == '+' ? offset : 0;
}

static bool is_of(const char *name, const char *other, size_t object)
{
	return strncmp(name, other, object) == 0 && (!name[object] || strchr("+-#", name[object]));
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

struct snag_extent snag_extent_of(const struct snag_names *names, const struct snag_variables *all,
				  uint32_t variable, unsigned size)
{
	struct snag_extent x = {.element = size};
	const char *name = snag_name(names, SNAG_SPACE_VARIABLE, variable);
	struct snag_object_name o = snag_object_name(name);
	int64_t low = INT64_MAX, high = INT64_MIN, any = offset_of(name, o.length);
	if (o.kind == SNAG_OBJECT_OTHER)
		return x;
	for (size_t i = 0; i < all->n; i++) {
		const char *other = snag_name(names, SNAG_SPACE_VARIABLE, all->at[i]);
		if (!is_of(other, name, o.length))
			continue;
		int64_t at = offset_of(other, o.length);
		low = at < low ? at : low;
		high = at > high ? at : high;
		x.apart = common_divisor((uint64_t)(at > any ? at - any : any - at), x.apart);
		x.places++;
	}
	if (x.places == 0)
		return x;
	if (size == 0 || x.apart != size || low < 0 || low % size)
		x.element = 0;
	x.first_byte = low;
	x.bytes = high - low + (size ? size : 1);
	if (x.element) {
		x.first = (uint64_t)low / size;
		x.last = (uint64_t)high / size;
	}
	return x;
}

void snag_extent_text(const struct snag_extent *x, const struct snag_names *names,
		      uint32_t variable, char *buf, size_t room)
{
	const char *name = snag_name(names, SNAG_SPACE_VARIABLE, variable);
	struct snag_object_name o = snag_object_name(name);
	bool is_global = o.kind == SNAG_OBJECT_GLOBAL;
	const char *object = o.kind == SNAG_OBJECT_HEAP ? "block" : is_global ? name : "stack";
	int length = is_global ? (int)o.length : (int)strlen(object);
	length = length < 200 ? length : 200;
	if (x->element)
		snprintf(buf, room,
			 "%.*s[%" PRIu64 "..%" PRIu64 "] (%" PRIu64 " elements of %u bytes)",
			 length, object, x->first, x->last, x->places, x->element);
	else
		snprintf(buf, room,
			 "bytes %" PRId64 "..%" PRId64 " of %s%.*s (%" PRIu64 " places, %" PRIu64
			 " byte%s apart)",
			 x->first_byte, x->first_byte + x->bytes - 1, is_global ? "" : "the ",
			 length, object, x->places, x->apart, snag_plural(x->apart));
}
