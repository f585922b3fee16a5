/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h - types of the program, by its debug information: sizes, members, what pointers point to
 */
#ifndef SNAG_REPORT_TYPES_H
#define SNAG_REPORT_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the type of a variable, member or pointer, without typedefs and qualifiers. */
bool snag_type_of(Dwarf_Die *die, Dwarf_Die *ret_type);
/* The same with them. */
bool snag_type_as_written(Dwarf_Die *die, Dwarf_Die *ret_type);
/* Removes typedefs and qualifiers; finds the definition of a type that is only declared. */
bool snag_type_bare(Dwarf_Die *type);
/* Returns the size in bytes; 0: unknown. */
uint64_t snag_type_size(Dwarf_Die *type);
bool snag_type_is_pointer(Dwarf_Die *type); /* or a reference */
bool snag_type_is_struct(Dwarf_Die *type);  /* or a class or union */
bool snag_type_is_array(Dwarf_Die *type);
/* Writes "struct node", "Pool", "int"; as_written: typedef names as well.  False: it has no
 * name. */
bool snag_type_name(Dwarf_Die *type, char *buf, size_t room);

/* Finds a member by name, in base classes and unnamed members too. */
bool snag_type_member(Dwarf_Die *type, const char *name, size_t n, Dwarf_Die *ret_type,
		      uint64_t *ret_offset);

/* Writes what lies at an offset of a type, for an access of `size` bytes: "", ".hits", "[3].next".
 * has_index false: "[]" for every index.  A place inside a part has the
 * rest of its offset behind it: ".hits+0x4".  Returns the length. */
size_t snag_type_path(Dwarf_Die *type, uint64_t offset, uint64_t size, bool has_index, char *buf,
		      size_t room);

#endif
