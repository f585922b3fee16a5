/* SPDX-License-Identifier: Apache-2.0
 *
 * naming.c - what programmers call the variables and locks of a report
 */
#include "report/source/naming.h"

#include "base/memory.h"
#include "report/source/lvalue.h"
#include "report/source/naming_find.h"
#include "report/source/origins.h"
#include "report/source/source_line.h"
#include "report/source/symbols_dwarf.h"
#include "report/source/types.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LVALUES = 128, FRAMES_TRIED = 8 };

/* Modules lie apart, in this many bytes each. */
#define MODULE_BYTES (1ull << 40)

struct snag_naming {
	const struct snag_names *names;
	struct snag_symbols *symbols;
	struct named_module {
		char *path;
		uint64_t bias;
	} * module;
	size_t n, room;
};

struct snag_naming *snag_naming_new(const struct snag_names *names)
{
	struct snag_naming *x = snag_calloc(1, sizeof(*x));
	x->names = names;
	x->symbols = snag_symbols_new();
	return x;
}

void snag_naming_free(struct snag_naming *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++)
		free(x->module[i].path);
	free(x->module);
	snag_symbols_free(x->symbols);
	free(x);
}

/* A program that is not position-independent lies where its file says. */
static bool is_fixed(const char *path)
{
	Elf64_Ehdr header = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, &header, sizeof(header)) : -1;
	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(header) && header.e_type == ET_EXEC;
}

static uint64_t module_bias(struct snag_naming *x, const char *path)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->module[i].path, path) == 0)
			return x->module[i].bias;
	x->module = snag_grow(x->module, &x->room, x->n + 1, sizeof(*x->module));
	struct named_module *m = &x->module[x->n++];
	m->path = snag_strdup(path);
	m->bias = is_fixed(path) ? 0 : MODULE_BYTES * x->n;
	struct snag_module module = {
		.path = path, .bias = m->bias, .start = m->bias, .end = m->bias + MODULE_BYTES};
	snag_symbols_add(x->symbols, &module, NULL);
	return m->bias;
}

/* [same] Finds the address of a frame; false: its module is not the one that ran. */
static bool address_of(struct snag_naming *x, const struct snag_frame *f, uint64_t *ret_address)
{
	struct snag_frame now[SNAG_MAX_FRAMES];
	if (!f->module || !f->file || f->module[0] != '/')
		return false;
	uint64_t address = module_bias(x, f->module) + f->offset;
	size_t n = snag_symbols_frames(x->symbols, address, now);
	for (size_t i = 0; i < n; i++)
		if (now[i].file && now[i].line == f->line && strcmp(now[i].file, f->file) == 0) {
			*ret_address = address;
			return true;
		}
	return false;
}

/* The offset in an object: "S+0x8", "heap#3:64@7,T0+16", with #number behind it or not. */
static uint64_t offset_in(const char *variable, size_t object)
{
	return variable[object] == '+' ? strtoull(variable + object + 1, NULL, 0) : 0;
}

static bool global_name(struct snag_naming *x, const char *variable, size_t n, unsigned size,
			const struct snag_callstack *stack, struct snag_variable_name *ret)
{
	char path[sizeof(ret->field)];
	const char *tried[FRAMES_TRIED];
	size_t ntried = 0;
	for (size_t i = 0; i < stack->n && ntried < FRAMES_TRIED; i++) {
		uint64_t address;
		Dwarf_Die die, type;
		if (!address_of(x, &stack->frame[i], &address))
			continue;
		tried[ntried++] = stack->frame[i].module;
		if (ntried > 1 && strcmp(tried[ntried - 2], tried[ntried - 1]) == 0)
			continue;
		if (!snag_find_global(x->symbols, address, variable, n, &die) ||
		    !snag_type_of(&die, &type))
			continue;
		/* C++ names say in which namespace, class or function it is. */
		const char *name = memmem(variable, n, "::", 2) ? NULL : dwarf_diename(&die);
		snag_type_path(&type, offset_in(variable, n), size, true, path, sizeof(path));
		if (name)
			snprintf(ret->name, sizeof(ret->name), "%.90s%.100s", name, path);
		else
			snprintf(ret->name, sizeof(ret->name), "%.*s%.100s", n < 90 ? (int)n : 90,
				 variable, path);
		snprintf(ret->field, sizeof(ret->field), "%s", path[0] == '.' ? path + 1 : path);
		if (!snag_type_name(&type, ret->type, sizeof(ret->type)))
			ret->type[0] = 0;
		return true;
	}
	return false;
}

/* An access or an allocation: its frame, line and chains. */
struct looked_at {
	const struct snag_frame *frame;
	char *line;
	size_t n;
	struct snag_code_place place;
	struct snag_lvalue lvalue[LVALUES];
	size_t nlvalues;
};

static bool look(struct snag_naming *x, const struct snag_frame *f, struct looked_at *ret)
{
	uint64_t address;
	ret->line = NULL;
	if (!address_of(x, f, &address) || !snag_symbols_place(x->symbols, address, &ret->place))
		return false;
	ret->frame = f;
	ret->line = snag_source_line(f->file, f->line);
	ret->n = ret->line ? strlen(ret->line) : 0;
	ret->nlvalues = snag_lvalues_in(ret->line ? ret->line : "", ret->n, ret->lvalue, LVALUES);
	return true;
}

/* A part of a heap block: which object, and where in it. */
struct part {
	Dwarf_Die object;
	uint64_t offset, size; /* of the access, in the block */
	uint64_t block;	       /* its size */
};

/* [checked] */
static bool fits(const struct part *p, const struct snag_reached *r)
{
	Dwarf_Die object = r->object, type = r->type;
	uint64_t bytes = snag_type_size(&object), own = snag_type_size(&type);
	if (!r->is_indirect || !bytes || bytes > p->block || own == 0)
		return false;
	bool is_whole = own == p->size || (snag_type_is_struct(&type) && own > p->size);
	uint64_t apart = r->element ? r->element : bytes;
	uint64_t at = p->offset % apart, should = r->offset % apart;
	return is_whole && (own == p->size ? at == should : at >= should && at < should + own);
}

/* Fills in the type and the member from the type of the object. */
static void member_put(const struct part *p, Dwarf_Die *object, struct snag_variable_name *ret)
{
	uint64_t bytes = snag_type_size(object);
	char path[sizeof(ret->field)] = "";
	if (!snag_type_name(object, ret->type, sizeof(ret->type)))
		ret->type[0] = 0;
	if (bytes)
		snag_type_path(object, p->offset % bytes, p->size, true, path, sizeof(path));
	snprintf(ret->field, sizeof(ret->field), "%s", path[0] == '.' ? path + 1 : path);
}

/* The expression of the line that is the access: by its column, or the only one that can be. */
static bool access_name(struct snag_naming *x, const struct part *p, const struct snag_frame *f,
			struct snag_variable_name *ret)
{
	struct looked_at *l = snag_alloc(sizeof(*l));
	const struct snag_lvalue *best = NULL;
	struct snag_reached reached = {0}, now;
	bool is_at = false, is_clear = true;
	if (!look(x, f, l)) {
		free(l);
		return false;
	}
	for (size_t i = 0; i < l->nlvalues; i++) {
		const struct snag_lvalue *v = &l->lvalue[i];
		if (!snag_find_reached(&l->place, l->line, v, &now) || !fits(p, &now))
			continue;
		bool here = snag_lvalue_is_at(v, l->line, l->n, f->column);
		if (best && is_at && !here)
			continue;
		if (best && is_at == here && !(v->base == best->base && v->end > best->end))
			is_clear &= v->base == best->base ||
				    (v->end - v->start == best->end - best->start &&
				     memcmp(l->line + v->start, l->line + best->start,
					    v->end - v->start) == 0);
		else
			is_clear = true;
		best = v;
		reached = now;
		is_at = here;
	}
	if (best && is_clear) {
		size_t n = best->end - best->start;
		if (reached.is_of_this)
			snprintf(ret->name, sizeof(ret->name), "this->%.*s", n < 150 ? (int)n : 150,
				 l->line + best->start);
		else
			snprintf(ret->name, sizeof(ret->name), "%.*s", n < 150 ? (int)n : 150,
				 l->line + best->start);
		member_put(p, &reached.object, ret);
	}
	free(l->line);
	free(l);
	return best && is_clear;
}

/* "pool->exit", "arr[3].next" for an object that `owner` points to. */
static void owned_put(const struct part *p, const char *owner, struct snag_variable_name *ret)
{
	Dwarf_Die object = p->object;
	uint64_t bytes = snag_type_size(&object);
	const char *field = ret->field;
	member_put(p, &object, ret);
	if (!*owner)
		snprintf(ret->name, sizeof(ret->name), "%.90s%s%.100s", ret->type,
			 *field && *field != '[' ? "." : "", field);
	else if (bytes && p->block >= 2 * bytes)
		snprintf(ret->name, sizeof(ret->name), "%.70s[%llu]%s%.100s", owner,
			 (unsigned long long)(p->offset / bytes),
			 *field && *field != '[' ? "." : "", field);
	else if (*field && *field != '[')
		snprintf(ret->name, sizeof(ret->name), "%.70s->%.100s", owner, field);
	else
		snprintf(ret->name, sizeof(ret->name), "*%.70s%.100s", owner, field);
}

/* The object that a line allocates: by the pointer it assigns, or by the type it names. */
static bool allocated_find(struct looked_at *l, struct part *p, char *owner, size_t room)
{
	for (size_t i = 0; i < l->nlvalues; i++) {
		const struct snag_lvalue *v = &l->lvalue[i];
		struct snag_reached r;
		Dwarf_Die to;
		if (!v->is_assigned || !snag_find_reached(&l->place, l->line, v, &r) ||
		    !snag_type_is_pointer(&r.type) || !snag_type_of(&r.type, &to) ||
		    !snag_type_size(&to) || snag_type_size(&to) > p->block)
			continue;
		size_t n = v->end - v->start;
		p->object = to;
		snprintf(owner, room, "%.*s", n < 60 ? (int)n : 60, l->line + v->start);
		return true;
	}
	*owner = 0;
	return l->line && snag_find_allocated_type(&l->place, l->line, &p->object) &&
	       snag_type_size(&p->object) && snag_type_size(&p->object) <= p->block;
}

static bool block_name(struct snag_naming *x, struct part *p, snag_loc loc,
		       struct snag_variable_name *ret)
{
	struct looked_at *l = snag_alloc(sizeof(*l));
	struct snag_callstack s;
	char owner[64];
	bool is_known = false;
	snag_callstack_read(x->names, loc, &s);
	for (size_t i = 0; i < s.n && i < FRAMES_TRIED && !is_known; i++) {
		if (!look(x, &s.frame[i], l))
			continue;
		is_known = allocated_find(l, p, owner, sizeof(owner));
		free(l->line);
	}
	if (is_known)
		owned_put(p, owner, ret);
	snag_callstack_done(&s);
	free(l);
	return is_known && ret->name[0];
}

bool snag_naming_variable(struct snag_naming *x, const char *variable, unsigned size,
			  const struct snag_callstack *stack, struct snag_variable_name *ret)
{
	struct snag_object_name o = snag_object_name(variable);
	ret->name[0] = ret->type[0] = ret->field[0] = 0;
	if (o.kind == SNAG_OBJECT_GLOBAL)
		return global_name(x, variable, o.length, size, stack, ret);
	if (o.kind != SNAG_OBJECT_HEAP)
		return false;
	struct part p = {.offset = offset_in(variable, o.length), .size = size, .block = o.nbytes};
	return (size && stack->n && access_name(x, &p, &stack->frame[0], ret)) ||
	       block_name(x, &p, o.loc, ret);
}

bool snag_naming_lock(struct snag_naming *x, const char *lock, const struct snag_callstack *stack,
		      struct snag_variable_name *ret)
{
	struct snag_object_name o = snag_object_name(lock);
	ret->name[0] = ret->type[0] = ret->field[0] = 0;
	if (o.kind == SNAG_OBJECT_GLOBAL)
		return global_name(x, lock, o.length, sizeof(void *) * 5, stack, ret);
	if (o.kind != SNAG_OBJECT_HEAP)
		return false;
	struct part p = {.offset = offset_in(lock, o.length), .size = 40, .block = o.nbytes};
	return block_name(x, &p, o.loc, ret);
}
