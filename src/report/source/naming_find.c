/* SPDX-License-Identifier: Apache-2.0
 *
 * naming_find.c - variables and types by the names they have at a place of the source
 *
 * Idea.   A name is looked up as a compiler does: in the blocks of the function around the
 *         address, in those it is inlined into, among the members of *this, in the unit.
 *         An expression is then followed step by step, from type to type.
 */
#include "report/source/naming_find.h"

#include "report/source/types.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

enum { DEEPEST = 24 };

static bool is_called(Dwarf_Die *die, const char *name, size_t n)
{
	const char *own = dwarf_diename(die); /* also of the abstract origin */
	return own && strncmp(own, name, n) == 0 && !own[n];
}

/* A variable or parameter of a function, in its blocks too; those that contain the address win. */
static bool local_find(Dwarf_Die *scope, Dwarf_Addr address, const char *name, size_t n, int depth,
		       Dwarf_Die *ret)
{
	Dwarf_Die child, inner;
	bool is_found = false, is_certain = false;
	if (depth > DEEPEST || dwarf_child(scope, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool is_it = (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
			     is_called(&child, name, n);
		if (is_it && !is_found) {
			*ret = child;
			is_found = true;
		}
		if (tag != DW_TAG_lexical_block || is_certain ||
		    !local_find(&child, address, name, n, depth + 1, &inner))
			continue;
		bool is_inside = dwarf_haspc(&child, address) == 1;
		if (is_inside || !is_found)
			*ret = inner;
		is_found = true;
		is_certain = is_inside;
	} while (dwarf_siblingof(&child, &child) == 0);
	return is_found;
}

static bool is_namespace(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_namespace;
}

static bool is_type(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return snag_type_is_struct(die) || tag == DW_TAG_typedef || tag == DW_TAG_base_type;
}

static bool is_variable(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_variable;
}

/* The first entry of a unit and its namespaces with a name. */
static bool global_named(Dwarf_Die *from, const char *name, size_t n,
			 bool (*is_wanted)(Dwarf_Die *), int depth, Dwarf_Die *ret)
{
	Dwarf_Die child;
	if (depth > DEEPEST || dwarf_child(from, &child) != 0)
		return false;
	do {
		if (is_wanted(&child) && is_called(&child, name, n) &&
		    !(is_type(&child) && dwarf_hasattr(&child, DW_AT_declaration))) {
			*ret = child;
			return true;
		}
		if (is_namespace(&child) &&
		    global_named(&child, name, n, is_wanted, depth + 1, ret))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool variable_find(const struct snag_code_place *place, const char *name, size_t n,
			  Dwarf_Die *ret)
{
	for (size_t i = 0; i < place->n; i++) {
		Dwarf_Die scope = place->scope[i], origin;
		Dwarf_Attribute attr;
		if (local_find(&scope, place->address, name, n, 0, ret))
			return true;
		if (dwarf_attr(&scope, DW_AT_abstract_origin, &attr) &&
		    dwarf_formref_die(&attr, &origin) &&
		    local_find(&origin, place->address, name, n, 0, ret))
			return true;
	}
	return false;
}

/* Where a global lies; false: its entry does not say. */
static bool address_of(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attr, at;
	Dwarf_Op *op;
	Dwarf_Addr address;
	size_t n;
	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &n) != 0 ||
	    n == 0)
		return false;
	if (op->atom == DW_OP_addr) {
		*ret = op->number;
		return true;
	}
	if (dwarf_getlocation_attr(&attr, op, &at) != 0 || dwarf_formaddr(&at, &address) != 0)
		return false;
	*ret = address;
	return true;
}

struct wanted {
	uint64_t start;
	const char *name; /* the last part of it */
	size_t n;
	bool is_local; /* static in a function */
	Dwarf_Die *ret;
};

/* The symbol of a static variable of a function is count.0 or f.count, or f()::count. */
static struct wanted wanted_make(const char *name, size_t n, uint64_t start, Dwarf_Die *ret)
{
	struct wanted w = {.start = start, .name = name, .n = n, .ret = ret};
	size_t end = n, from;
	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end > 1 && end < n && name[end - 1] == '.') {
		w.n = end - 1;
		w.is_local = true;
	}
	for (from = w.n; from > 0 && name[from - 1] != '.' && name[from - 1] != ':'; from--)
		;
	w.is_local |= from > 0 && name[from - 1] == '.';
	w.is_local |= from > 2 && name[from - 3] == ')';
	w.name = name + from;
	w.n -= from;
	return w;
}

static bool global_at(const struct wanted *w, Dwarf_Die *from, int depth)
{
	Dwarf_Die child;
	uint64_t at;
	if (depth > DEEPEST || dwarf_child(from, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_variable && is_called(&child, w->name, w->n) &&
		    (address_of(&child, &at) ? at == w->start
					     : depth == 0 && !w->is_local &&
						       dwarf_hasattr(&child, DW_AT_declaration))) {
			*w->ret = child;
			return true;
		}
		bool is_within =
			tag == DW_TAG_namespace ||
			(w->is_local && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block));
		if (is_within && global_at(w, &child, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool on_unit(void *ctx, Dwarf_Die *unit)
{
	return global_at(ctx, unit, 0);
}

bool snag_find_global(struct snag_symbols *symbols, uint64_t address, const char *name, size_t n,
		      Dwarf_Die *ret)
{
	struct snag_code_place place;
	struct wanted w;
	uint64_t start;
	size_t k = 0;
	bool has_place = snag_symbols_place(symbols, address, &place);
	for (; snag_symbols_named(symbols, address, name, n, k, &start); k++) {
		w = wanted_make(name, n, start, ret);
		if (has_place && global_at(&w, &place.unit, 0))
			return true;
	}
	return k == 1 && snag_symbols_units(symbols, address, on_unit, &w);
}

/* A pointer or reference leads on. */
static bool deref(struct snag_reached *r)
{
	if (!snag_type_is_pointer(&r->type) || !snag_type_of(&r->type, &r->type))
		return false;
	r->object = r->type;
	r->offset = r->element = 0;
	r->is_indirect = true;
	return true;
}

static bool deref_reference(struct snag_reached *r)
{
	return dwarf_tag(&r->type) == DW_TAG_pointer_type || !snag_type_is_pointer(&r->type) ||
	       deref(r);
}

static bool member(struct snag_reached *r, const char *name, size_t n)
{
	uint64_t offset;
	if (!snag_type_member(&r->type, name, n, &r->type, &offset))
		return false;
	r->offset += offset;
	return deref_reference(r);
}

static bool base_find(const struct snag_code_place *place, const char *name, size_t n,
		      struct snag_reached *r)
{
	Dwarf_Die die;
	*r = (struct snag_reached){0};
	if (variable_find(place, name, n, &die))
		return snag_type_of(&die, &r->type) && (r->object = r->type, deref_reference(r));
	if (variable_find(place, "this", 4, &die) && snag_type_of(&die, &r->type) && deref(r) &&
	    member(r, name, n)) {
		r->is_of_this = true;
		return true;
	}
	*r = (struct snag_reached){0};
	Dwarf_Die unit = place->unit;
	return global_named(&unit, name, n, is_variable, 0, &die) && snag_type_of(&die, &r->type) &&
	       (r->object = r->type, deref_reference(r));
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

static size_t dimensions(Dwarf_Die *array)
{
	Dwarf_Die child;
	size_t n = 0;
	if (dwarf_child(array, &child) == 0)
		do
			n += dwarf_tag(&child) == DW_TAG_subrange_type;
		while (dwarf_siblingof(&child, &child) == 0);
	return n ? n : 1;
}

/* An index of an array; `left` counts the indices that a type of several dimensions still needs. */
static bool indexed(struct snag_reached *r, size_t *left)
{
	if (!snag_type_is_array(&r->type))
		return deref(r);
	if (*left == 0)
		*left = dimensions(&r->type);
	if (--*left > 0)
		return true;
	if (!snag_type_of(&r->type, &r->type))
		return false;
	r->element = common_divisor(snag_type_size(&r->type), r->element);
	return true;
}

bool snag_find_reached(const struct snag_code_place *place, const char *line,
		       const struct snag_lvalue *v, struct snag_reached *ret)
{
	size_t left = 0;
	bool is_known = base_find(place, line + v->base, v->base_n, ret);
	for (size_t i = 0; i < v->nsteps && is_known; i++) {
		const struct snag_lvalue_step *s = &v->step[i];
		switch (s->kind) {
		case SNAG_BY_ARROW:
			is_known = deref(ret) && member(ret, line + s->name, s->n);
			break;
		case SNAG_BY_DOT:
			is_known = member(ret, line + s->name, s->n);
			break;
		case SNAG_BY_INDEX:
			is_known = indexed(ret, &left);
			break;
		case SNAG_BY_STAR:
			is_known = deref(ret);
			break;
		}
	}
	return is_known && left == 0;
}

static const char *blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* The type that is named there: `struct node`, `ns::Pool`. */
static bool type_named(const struct snag_code_place *place, const char *at, Dwarf_Die *ret)
{
	static const char *const words[] = {"struct ", "class ", "union ", "const "};
	Dwarf_Die unit = place->unit;
	size_t n;
	at = blanks(at);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(at, words[i], strlen(words[i])) == 0)
			at = blanks(at + strlen(words[i]));
	for (;;) {
		n = 0;
		while (isalnum((unsigned char)at[n]) || at[n] == '_')
			n++;
		if (n == 0 || strncmp(at + n, "::", 2) != 0)
			break;
		at += n + 2;
	}
	return n && global_named(&unit, at, n, is_type, 0, ret) && snag_type_bare(ret);
}

/* sizeof *p */
static bool pointed_to(const struct snag_code_place *place, const char *at, Dwarf_Die *ret)
{
	struct snag_lvalue v[2];
	struct snag_reached r;
	at = blanks(at);
	if (*at != '*' || !snag_lvalues_in(at + 1, strcspn(at + 1, ");,"), v, 1))
		return false;
	size_t n = snag_lvalues_in(at + 1, strcspn(at + 1, ");,"), v, 2);
	if (!snag_find_reached(place, at + 1, &v[n - 1], &r) || !deref(&r))
		return false;
	*ret = r.type;
	return true;
}

bool snag_find_allocated_type(const struct snag_code_place *place, const char *line, Dwarf_Die *ret)
{
	static const char *const words[] = {"new ", "make_unique<", "make_shared<", "sizeof"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strstr(line, words[i]);
		if (!at)
			continue;
		at = blanks(at + strlen(words[i]));
		if (*at == '(')
			at = blanks(at + 1);
		if (*at == '*' ? pointed_to(place, at, ret) : type_named(place, at, ret))
			return true;
	}
	return false;
}
