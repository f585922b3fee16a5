/* SPDX-License-Identifier: Apache-2.0
 *
 * scopes.c - which functions contain an address, by the debug information of its unit
 *
 * Idea.   One walk through the tree of a unit collects the functions that have code, wherever
 *         they stand: in namespaces, classes, other functions.  Their code does not overlap, so
 *         bisection finds the function of an address.  Only inside that function there is a
 *         walk, down the blocks and inlined functions that contain the address.  (libdw's own
 *         search begins at the unit, twice for each address.)
 * Cost.   The entries of a unit once; then O(log functions), and the entries of one function.
 */
#include "report/source/scopes.h"

#include "base/bound.h"
#include "base/memory.h"

#include <dwarf.h>
#include <stdlib.h>

enum { DEEPEST = 128 }; /* entries inside each other: more is not debug information */

static void ranges_add(struct snag_scopes *s, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &start, &end)) > 0;) {
		if (start >= end)
			continue;
		s->range = snag_grow(s->range, &s->room, s->n + 1, sizeof(*s->range));
		s->range[s->n++] = (struct snag_scope_range){start, end, *function};
	}
}

static bool may_have_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}

/* Of the entries inside `die`. */
static void functions_read(struct snag_scopes *s, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	if (depth > DEEPEST || dwarf_child(die, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_subprogram)
			ranges_add(s, &child);
		if (may_have_functions(tag))
			functions_read(s, &child, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int by_start(const void *pa, const void *pb)
{
	const struct snag_scope_range *a = pa, *b = pb;
	return a->start < b->start ? -1 : a->start > b->start;
}

static Dwarf_Die *function_at(struct snag_scopes *s, Dwarf_Addr address)
{
	size_t low = snag_bound(s->range, s->n, sizeof(*s->range),
				offsetof(struct snag_scope_range, start), address);
	return low > 0 && address < s->range[low - 1].end ? &s->range[low - 1].function : NULL;
}

/* From the entry to the block or inlined function in it that has the address; false: none. */
static bool step_in(Dwarf_Die *die, Dwarf_Addr address)
{
	Dwarf_Die child;
	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		    dwarf_haspc(&child, address) == 1) {
			*die = child;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

void snag_scopes_done(struct snag_scopes *s)
{
	free(s->range);
}

size_t snag_scopes_find(struct snag_scopes *s, Dwarf_Die *unit, Dwarf_Addr address,
			Dwarf_Die *ret_scope, size_t most)
{
	if (!s->was_read) {
		functions_read(s, unit, 0);
		if (s->n)
			qsort(s->range, s->n, sizeof(*s->range), by_start);
		s->was_read = true;
	}
	Dwarf_Die *function = function_at(s, address), path[DEEPEST], now;
	if (!function)
		return 0;
	size_t n = 0, found = 0;
	now = path[n++] = *function;
	while (n < DEEPEST && step_in(&now, address))
		if (dwarf_tag(&now) == DW_TAG_inlined_subroutine)
			path[n++] = now;
	while (n > 0 && found < most)
		ret_scope[found++] = path[--n];
	return found;
}
