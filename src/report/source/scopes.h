/* SPDX-License-Identifier: Apache-2.0
 *
 * scopes.h - which functions contain an address, by the debug information of its unit
 */
#ifndef SNAG_REPORT_SCOPES_H
#define SNAG_REPORT_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct snag_scope_range {
	Dwarf_Addr start, end;
	Dwarf_Die function;
};

struct snag_scopes {			/* all 0: not read */
	struct snag_scope_range *range; /* of the functions that have code, by address */
	size_t n, room;
	bool was_read;
};

void snag_scopes_done(struct snag_scopes *s);

/* Finds the function that contains this address and those inlined there, innermost first, at
 * most `most` of them.  Returns their number; 0 if the unit does not say. */
size_t snag_scopes_find(struct snag_scopes *s, Dwarf_Die *unit, Dwarf_Addr address,
			Dwarf_Die *ret_scope, size_t most);

#endif
