/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols_dwarf.h - the debug information at an address, for names of variables (naming.h)
 */
#ifndef SNAG_REPORT_SYMBOLS_DWARF_H
#define SNAG_REPORT_SYMBOLS_DWARF_H

#include "report/source/symbols.h"

#include <elfutils/libdw.h>

struct snag_code_place {
	Dwarf_Die unit;
	Dwarf_Die scope[SNAG_MAX_FRAMES]; /* the functions there, innermost first */
	size_t n;
	Dwarf_Addr address; /* as the unit counts */
};

/* Returns false if there is no debug information for the address. */
bool snag_symbols_place(struct snag_symbols *symbols, uint64_t address,
			struct snag_code_place *ret_place);

/* Finds number k, from 0, of the global and static variables with this name in the module at
 * `address`; *ret_start is its address as the units of the module count.  Returns false if there
 * are not so many. */
bool snag_symbols_named(struct snag_symbols *symbols, uint64_t address, const char *name, size_t n,
			size_t k, uint64_t *ret_start);

/* Calls `on_unit` for each unit of the module at `address`, until it returns true; returns whether
 * it did. */
bool snag_symbols_units(struct snag_symbols *symbols, uint64_t address,
			bool (*on_unit)(void *ctx, Dwarf_Die *unit), void *ctx);

#endif
