/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c - types of the program, by its debug information
 */
#include "report/source/types.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 32 }; /* types in types, of hostile files too */

static bool follow(Dwarf_Die *die, unsigned name, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	return dwarf_attr_integrate(die, name, &attr) && dwarf_formref_die(&attr, ret);
}

/* A declaration names the definition by its signature, or not at all. */
static void definition_find(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die full;
	if (dwarf_hasattr(type, DW_AT_signature) && dwarf_attr(type, DW_AT_signature, &attr) &&
	    dwarf_formref_die(&attr, &full))
		*type = full;
}

bool snag_type_bare(Dwarf_Die *type)
{
	for (int i = 0; i < DEEPEST; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!follow(type, DW_AT_type, type))
				return false;
			break;
		default:
			definition_find(type);
			return true;
		}
	}
	return false;
}

bool snag_type_as_written(Dwarf_Die *die, Dwarf_Die *ret)
{
	return follow(die, DW_AT_type, ret);
}

bool snag_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Die type;
	if (!follow(die, DW_AT_type, &type) || !snag_type_bare(&type))
		return false;
	*ret = type;
	return true;
}

uint64_t snag_type_size(Dwarf_Die *type)
{
	Dwarf_Word size;
	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

bool snag_type_is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

bool snag_type_is_struct(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool snag_type_is_array(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_array_type;
}

/* C writes struct before the name, C++ does not. */
static bool is_of_c(Dwarf_Die *type)
{
	Dwarf_Die unit;
	return dwarf_diecu(type, &unit, NULL, NULL) &&
	       (dwarf_srclang(&unit) == DW_LANG_C || dwarf_srclang(&unit) == DW_LANG_C89 ||
		dwarf_srclang(&unit) == DW_LANG_C99 || dwarf_srclang(&unit) == DW_LANG_C11);
}

bool snag_type_name(Dwarf_Die *type, char *buf, size_t room)
{
	const char *name = dwarf_diename(type), *word = "";
	if (!name)
		return false;
	if (dwarf_tag(type) == DW_TAG_structure_type && is_of_c(type))
		word = "struct ";
	else if (dwarf_tag(type) == DW_TAG_union_type && is_of_c(type))
		word = "union ";
	snprintf(buf, room, "%s%s", word, name);
	return true;
}

static uint64_t member_offset(Dwarf_Die *member)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	if (dwarf_attr(member, DW_AT_data_member_location, &attr) &&
	    dwarf_formudata(&attr, &value) == 0)
		return value;
	if (dwarf_attr(member, DW_AT_data_bit_offset, &attr) && dwarf_formudata(&attr, &value) == 0)
		return value / 8;
	return 0;
}

/* Members without storage in the object: static ones. */
static bool is_stored(Dwarf_Die *member)
{
	int tag = dwarf_tag(member);
	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(member, DW_AT_external) && !dwarf_hasattr(member, DW_AT_declaration);
}

static bool member_find(Dwarf_Die *type, const char *name, size_t n, int depth, Dwarf_Die *ret_type,
			uint64_t *ret_offset)
{
	Dwarf_Die child;
	if (depth > DEEPEST || !snag_type_is_struct(type) || dwarf_child(type, &child) != 0)
		return false;
	do {
		Dwarf_Die of;
		uint64_t inner = 0;
		if (!is_stored(&child) || !snag_type_of(&child, &of))
			continue;
		const char *called =
			dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
		bool is_it = called && strncmp(called, name, n) == 0 && !called[n];
		if (!is_it && !called)
			is_it = member_find(&of, name, n, depth + 1, &of, &inner);
		if (is_it) {
			*ret_type = of;
			*ret_offset = member_offset(&child) + inner;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool snag_type_member(Dwarf_Die *type, const char *name, size_t n, Dwarf_Die *ret_type,
		      uint64_t *ret_offset)
{
	return member_find(type, name, n, 0, ret_type, ret_offset);
}

/* Whether a type, or an element of it, of this size begins there. */
static bool is_part(Dwarf_Die *type, uint64_t offset, uint64_t size)
{
	Dwarf_Die inner = *type;
	if (snag_type_is_array(type) && !snag_type_of(type, &inner))
		return false;
	uint64_t bytes = snag_type_size(&inner);
	return bytes == size && offset % bytes == 0;
}

/* The member that has the whole access, or else its first byte. */
static bool member_at(Dwarf_Die *type, uint64_t offset, uint64_t size, Dwarf_Die *ret_member,
		      Dwarf_Die *ret_type, uint64_t *ret_start)
{
	Dwarf_Die child;
	bool is_found = false;
	if (dwarf_child(type, &child) != 0)
		return false;
	do {
		Dwarf_Die of;
		if (!is_stored(&child) || !snag_type_of(&child, &of))
			continue;
		uint64_t start = member_offset(&child), bytes = snag_type_size(&of);
		if (offset < start || offset >= start + bytes)
			continue;
		bool is_whole = offset + size <= start + bytes;
		bool is_exact = is_whole && is_part(&of, offset - start, size);
		if (!is_found || is_exact) {
			*ret_member = child;
			*ret_type = of;
			*ret_start = start;
			is_found = true;
			if (is_exact || (is_whole && dwarf_tag(type) != DW_TAG_union_type))
				return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return is_found;
}

/* "[1][3]" for element number `index` of an array. */
static size_t indices_put(Dwarf_Die *array, uint64_t index, bool has_index, char *buf, size_t room)
{
	uint64_t count[DEEPEST];
	size_t dimensions = 0, n = 0;
	Dwarf_Die child;
	if (dwarf_child(array, &child) == 0)
		do {
			Dwarf_Attribute attr;
			Dwarf_Word value = 0;
			if (dwarf_tag(&child) != DW_TAG_subrange_type || dimensions == DEEPEST)
				continue;
			if (dwarf_attr(&child, DW_AT_count, &attr))
				dwarf_formudata(&attr, &value);
			else if (dwarf_attr(&child, DW_AT_upper_bound, &attr) &&
				 dwarf_formudata(&attr, &value) == 0)
				value++;
			count[dimensions++] = value;
		} while (dwarf_siblingof(&child, &child) == 0);
	for (size_t i = 0; i < (dimensions ? dimensions : 1) && n + 1 < room; i++) {
		uint64_t below = 1; /* elements of one step of this index */
		for (size_t k = i + 1; k < dimensions; k++)
			below *= count[k] ? count[k] : 1;
		if (has_index)
			n += (size_t)snprintf(buf + n, room - n, "[%llu]",
					      (unsigned long long)(index / below));
		else
			n += (size_t)snprintf(buf + n, room - n, "[]");
		index %= below;
	}
	return n < room ? n : room - 1;
}

/* Programmers do not write the members of the libraries' own types: __data, _M_impl. */
static bool is_internal(const char *name)
{
	return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

size_t snag_type_path(Dwarf_Die *of, uint64_t offset, uint64_t size, bool has_index, char *buf,
		      size_t room)
{
	Dwarf_Die type = *of;
	size_t n = 0;
	buf[0] = 0;
	for (int depth = 0; depth < DEEPEST && n + 1 < room; depth++) {
		Dwarf_Die member, inner;
		uint64_t start = 0;
		const char *name;
		if (snag_type_is_array(&type) && snag_type_of(&type, &inner) &&
		    snag_type_size(&inner)) {
			uint64_t element = snag_type_size(&inner);
			n += indices_put(&type, offset / element, has_index, buf + n, room - n);
			offset %= element;
			type = inner;
		} else if (snag_type_is_struct(&type) &&
			   !(offset == 0 && size > 8 && size == snag_type_size(&type)) &&
			   member_at(&type, offset, size, &member, &inner, &start)) {
			name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
			if (name && is_internal(name))
				break;
			if (name)
				n += (size_t)snprintf(buf + n, room - n, ".%s", name);
			offset -= start;
			type = inner;
		} else {
			break;
		}
	}
	if (offset && n + 1 < room)
		n += (size_t)snprintf(buf + n, room - n, "+0x%llx", (unsigned long long)offset);
	return n < room ? n : room - 1;
}
