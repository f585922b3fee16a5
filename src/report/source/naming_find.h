/* SPDX-License-Identifier: Apache-2.0
 *
 * naming_find.h - variables and types by the names they have at a place of the source
 */
#ifndef SNAG_REPORT_NAMING_FIND_H
#define SNAG_REPORT_NAMING_FIND_H

#include "report/source/lvalue.h"
#include "report/source/symbols_dwarf.h"

/* Finds the debug information of a global or static variable by the name of its symbol.  Returns
 * the variable that the unit at `address` defines or declares; if there is none, the only variable
 * of the module with that name. */
bool snag_find_global(struct snag_symbols *symbols, uint64_t address, const char *name, size_t n,
		      Dwarf_Die *ret_die);

/* What an expression reaches. */
struct snag_reached {
	Dwarf_Die type;
	/* The object that it lies in; if is_indirect, the one that the last pointer points to. */
	Dwarf_Die object;
	uint64_t offset;  /* in the object; if indices are unknown, modulo `element` */
	uint64_t element; /* 0: there are none */
	bool is_indirect; /* a pointer or reference leads there */
	bool is_of_this;  /* the source leaves out this-> */
};
bool snag_find_reached(const struct snag_code_place *place, const char *line,
		       const struct snag_lvalue *v, struct snag_reached *ret);

/* Finds the type that a line allocates: new T, make_unique<T>, sizeof(T), sizeof *p. */
bool snag_find_allocated_type(const struct snag_code_place *place, const char *line,
			      Dwarf_Die *ret_type);

#endif
