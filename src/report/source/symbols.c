/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols.c - functions, lines and variables at the addresses of a program
 *
 * Idea.   libdwfl gets each module and finds its debug information, also where distributions put
 *         it.  The line table gives the line of an address.  The tree of scopes (scopes.h) gives
 *         the functions inlined there: walking it outwards, each inlined subroutine names its
 *         function and its call site, which is the line of the next one.  Without debug
 *         information the symbol table names the function.
 * State.  the modules, in a sorted array of ranges, each with its libdwfl module or none; and
 *         the returned names, which live on
 * Cost.   The debug information of a module is read when its first address is looked up.
 */
#include "report/source/symbols.h"

#include "base/bound.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "report/source/scopes.h"
#include "report/source/symbols_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct unit {
	Dwarf_Die die;
	Dwarf_Die whole; /* the same, or what -gsplit-dwarf put into another file */
	uint64_t bias;	 /* of the addresses in it */
	struct snag_scopes scopes;
};

struct unit_range {
	uint64_t start, end;
	size_t unit;
};

struct module {
	uint64_t start, end, bias;
	const char *path;
	Dwfl_Module *dwfl; /* NULL: nothing is known of it */
	struct unit *unit; /* its compilation units */
	size_t nunits, unit_room;
	struct unit_range *range; /* of these, by address */
	size_t nranges, range_room;
	bool has_ranges;	    /* they were read */
	struct snag_object *object; /* its global variables, by address */
	size_t nobjects, object_room;
	bool has_objects; /* they were read */
};

struct snag_symbols {
	Dwfl *dwfl;
	char *debuginfo_path;
	Dwfl_Callbacks callbacks;
	struct module *module; /* by start */
	size_t n, room;
	struct snag_strtab names; /* paths and demangled names, each once */
	char **kept;		  /* by id: they stay where they are */
	size_t kept_room;
};

struct snag_symbols *snag_symbols_new(void)
{
	struct snag_symbols *s = snag_calloc(1, sizeof(*s));
	s->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &s->debuginfo_path,
	};
	s->dwfl = dwfl_begin(&s->callbacks);
	snag_strtab_init(&s->names);
	return s;
}

static void module_done(struct module *m)
{
	for (size_t i = 0; i < m->nunits; i++)
		snag_scopes_done(&m->unit[i].scopes);
	free(m->unit);
	free(m->range);
	free(m->object);
}

void snag_symbols_free(struct snag_symbols *s)
{
	if (!s)
		return;
	if (s->dwfl)
		dwfl_end(s->dwfl);
	for (uint32_t i = 0; i < s->names.n; i++)
		free(s->kept[i]);
	free(s->kept);
	snag_strtab_done(&s->names);
	for (size_t i = 0; i < s->n; i++)
		module_done(&s->module[i]);
	free(s->module);
	free(s);
}

static const char *keep(struct snag_symbols *s, const char *text)
{
	uint32_t n = s->names.n, id = snag_strtab_intern(&s->names, text, strlen(text));
	if (id == n) {
		s->kept = snag_grow(s->kept, &s->kept_room, n + 1, sizeof(*s->kept));
		s->kept[id] = snag_alloc(strlen(text) + 1);
		strcpy(s->kept[id], text);
	}
	return s->kept[id];
}

static struct module *module_insert(struct snag_symbols *s, const struct snag_module *m)
{
	s->module = snag_grow(s->module, &s->room, s->n + 1, sizeof(*s->module));
	size_t at = s->n++;
	for (; at > 0 && s->module[at - 1].start > m->start; at--)
		s->module[at] = s->module[at - 1];
	s->module[at] = (struct module){
		.start = m->start,
		.end = m->end,
		.bias = m->bias,
		.path = keep(s, m->path),
	};
	return &s->module[at];
}

static bool is_same_build(Dwfl_Module *mod, const struct snag_module *m)
{
	const unsigned char *id;
	GElf_Addr where;
	int n = dwfl_module_build_id(mod, &id, &where);
	return n > 0 && (size_t)n == m->build_id_bytes && memcmp(id, m->build_id, (size_t)n) == 0;
}

int snag_symbols_add(struct snag_symbols *s, const struct snag_module *m, struct snag_error *err)
{
	struct module *new = module_insert(s, m);
	if (access(m->path, R_OK) != 0)
		return snag_fail(err, SNAG_EINPUT,
				 "%s: cannot be read, so its functions have no names", m->path);
	dwfl_report_begin_add(s->dwfl);
	Dwfl_Module *mod = dwfl_report_elf(s->dwfl, m->path, m->path, -1, m->bias, false);
	dwfl_report_end(s->dwfl, NULL, NULL);
	if (!mod)
		return snag_fail(err, SNAG_EINPUT, "%s: %s", m->path, dwfl_errmsg(-1));
	GElf_Addr bias;
	dwfl_module_getelf(mod, &bias); /* reads the file, which tells the build id */
	if (m->build_id && !is_same_build(mod, m))
		return snag_fail(err, SNAG_EINPUT,
				 "%s: not the file that ran, so its functions have no names",
				 m->path);
	new->dwfl = mod;
	return 0;
}

static struct module *module_at(struct snag_symbols *s, uint64_t address)
{
	size_t low = snag_bound(s->module, s->n, sizeof(*s->module), offsetof(struct module, start),
				address);
	return low > 0 && address < s->module[low - 1].end ? &s->module[low - 1] : NULL;
}

/* gfortran's __state_MOD_total, the variable total of module state, as gdb writes it. */
static bool fortran_demangle(const char *name, char *to, size_t room)
{
	static const char mark[] = "_MOD_";
	const char *middle = strncmp(name, "__", 2) == 0 ? strstr(name + 2, mark) : NULL;
	if (!middle || middle == name + 2 || !middle[strlen(mark)])
		return false;
	snprintf(to, room, "%.*s::%s", (int)(middle - name - 2), name + 2, middle + strlen(mark));
	return true;
}

/* Removes the suffixes of names that compilers derive from a variable: name.body, and parts
 * name.0, name.1 ... */
static const char *demangled(struct snag_symbols *s, const char *name)
{
	const char *dot = name ? strchr(name, '.') : NULL;
	char text[1024];
	if (!name)
		return NULL;
	if (fortran_demangle(name, text, sizeof(text)))
		return keep(s, text);
	char *plain = cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI);
	if (!plain && dot && (size_t)(dot - name) < sizeof(text)) {
		snprintf(text, sizeof(text), "%.*s", (int)(dot - name), name);
		plain = cplus_demangle_v3(text, DMGL_PARAMS | DMGL_ANSI);
		bool is_part = !dot[1 + strspn(dot + 1, "0123456789")];
		snprintf(text, sizeof(text), "%s%s", plain ? plain : name,
			 plain && !is_part ? dot : "");
	} else {
		snprintf(text, sizeof(text), "%s", plain ? plain : name);
	}
	free(plain);
	return keep(s, text);
}

/* The name of a function's entry, with its scope and parameters where it has such a name. */
static const char *function_name(struct snag_symbols *s, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return demangled(s, dwarf_formstring(&attr));
	if (dwarf_attr_integrate(die, DW_AT_name, &attr))
		return demangled(s, dwarf_formstring(&attr));
	return NULL;
}

static uint32_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) != 0)
		return 0;
	return (uint32_t)value;
}

static const char *call_file(Dwarf_Die *cu, Dwarf_Die *die)
{
	Dwarf_Files *files;
	size_t n, file = number(die, DW_AT_call_file);
	if (dwarf_getsrcfiles(cu, &files, &n) != 0 || file >= n)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

/* Fills frames from the scopes around `address`; the first has its line already. */
static size_t scopes_walk(struct snag_symbols *s, struct unit *u, Dwarf_Addr address,
			  struct snag_frame *frame)
{
	Dwarf_Die scope[SNAG_MAX_FRAMES];
	size_t n = snag_scopes_find(&u->scopes, &u->whole, address, scope, SNAG_MAX_FRAMES);
	for (size_t i = 0; i < n; i++) {
		struct snag_frame *f = &frame[i];
		f->function = function_name(s, &scope[i]);
		f->is_inlined = dwarf_tag(&scope[i]) == DW_TAG_inlined_subroutine;
		if (i + 1 == n)
			break;
		f[1] = (struct snag_frame){
			.file = call_file(&u->die, &scope[i]),
			.line = number(&scope[i], DW_AT_call_line),
			.column = number(&scope[i], DW_AT_call_column),
			.module = f->module,
			.offset = f->offset,
		};
	}
	return n;
}

static int by_range(const void *pa, const void *pb)
{
	const struct unit_range *a = pa, *b = pb;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* Reports need no lines of the C library, and unpacking its debug package takes longer than all
 * other work.  Its symbols suffice. */
static bool is_c_library(const struct module *m)
{
	static const char name[] = "libc.so.";
	return strncmp(basename(m->path), name, strlen(name)) == 0;
}

/* Finds the rest of a unit of -gsplit-dwarf; if its file is gone, there is only the unit itself. */
static Dwarf_Die whole_of(Dwarf_Die *unit)
{
	Dwarf_Die rest = {0};
	uint8_t type;
	bool has_rest = dwarf_cu_info(unit->cu, NULL, &type, NULL, &rest, NULL, NULL, NULL) == 0 &&
			type == DW_UT_skeleton && rest.addr;
	return has_rest ? rest : *unit;
}

/* Reads where the code of each compilation unit lies.  Only some compilers write the section for
 * this (.debug_aranges), and libdw trusts it to be complete. */
static void ranges_read(struct module *m)
{
	Dwarf_Addr bias, base, start, end;
	m->has_ranges = true;
	if (is_c_library(m))
		return;
	Dwarf *dwarf = dwfl_module_getdwarf(m->dwfl, &bias);
	if (dwarf)
		dwarf_new_oom_handler(dwarf, snag_out_of_memory);
	for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(m->dwfl, unit, &bias));) {
		m->unit = snag_grow(m->unit, &m->unit_room, m->nunits + 1, sizeof(*m->unit));
		m->unit[m->nunits++] =
			(struct unit){.die = *unit, .whole = whole_of(unit), .bias = bias};
		for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0;) {
			if (start >= end)
				continue;
			m->range = snag_grow(m->range, &m->range_room, m->nranges + 1,
					     sizeof(*m->range));
			m->range[m->nranges++] =
				(struct unit_range){start + bias, end + bias, m->nunits - 1};
		}
	}
	if (m->nranges)
		qsort(m->range, m->nranges, sizeof(*m->range), by_range);
}

static struct unit *unit_at(struct module *m, uint64_t address)
{
	if (!m->has_ranges)
		ranges_read(m);
	size_t low = snag_bound(m->range, m->nranges, sizeof(*m->range),
				offsetof(struct unit_range, start), address);
	return low > 0 && address < m->range[low - 1].end ? &m->unit[m->range[low - 1].unit] : NULL;
}

static void line_find(struct unit *u, uint64_t address, struct snag_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->die, address - u->bias);
	int number_of_line = 0, column = 0;
	if (!line)
		return;
	f->file = dwarf_linesrc(line, NULL, NULL);
	dwarf_lineno(line, &number_of_line);
	dwarf_linecol(line, &column);
	f->line = (uint32_t)number_of_line;
	f->column = number_of_line ? (uint32_t)column : 0; /* code of no line */
}

size_t snag_symbols_frames(struct snag_symbols *s, uint64_t address,
			   struct snag_frame ret_frame[SNAG_MAX_FRAMES])
{
	struct module *m = module_at(s, address);
	ret_frame[0] = (struct snag_frame){.offset = address};
	if (!m)
		return 1;
	ret_frame[0].module = m->path;
	ret_frame[0].offset = address - m->bias;
	if (!m->dwfl)
		return 1;
	struct unit *unit = unit_at(m, address);
	size_t n = 0;
	if (unit) {
		line_find(unit, address, &ret_frame[0]);
		n = scopes_walk(s, unit, address - unit->bias, ret_frame);
	}
	if (n == 0) {
		ret_frame[0].function = demangled(s, dwfl_module_addrname(m->dwfl, address));
		n = 1;
	}
	return n;
}

bool snag_frame_is_of_header(const struct snag_frame *frame)
{
	return frame->file && strstr(frame->file, "include/snag/");
}

static int by_start(const void *pa, const void *pb)
{
	const struct snag_object *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->nbytes < b->nbytes ? -1 : a->nbytes > b->nbytes;
}

static void objects_read(struct snag_symbols *s, struct module *m)
{
	int n = m->dwfl ? dwfl_module_getsymtab(m->dwfl) : 0;
	m->has_objects = true;
	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr at;
		const char *name =
			dwfl_module_getsym_info(m->dwfl, i, &symbol, &at, NULL, NULL, NULL);
		int type = GELF_ST_TYPE(symbol.st_info);
		if (!name || !symbol.st_size || (type != STT_OBJECT && type != STT_COMMON) ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		m->object =
			snag_grow(m->object, &m->object_room, m->nobjects + 1, sizeof(*m->object));
		m->object[m->nobjects++] = (struct snag_object){.name = demangled(s, name),
								.start = at,
								.nbytes = symbol.st_size,
								.module = m->path};
	}
	if (m->nobjects)
		qsort(m->object, m->nobjects, sizeof(*m->object), by_start);
}

bool snag_symbols_object(struct snag_symbols *s, uint64_t address, struct snag_object *ret_object)
{
	struct module *m = module_at(s, address);
	if (!m)
		return false;
	if (!m->has_objects)
		objects_read(s, m);
	size_t low = snag_bound(m->object, m->nobjects, sizeof(*m->object),
				offsetof(struct snag_object, start), address);
	if (low == 0 || address - m->object[low - 1].start >= m->object[low - 1].nbytes)
		return false;
	*ret_object = m->object[low - 1];
	return true;
}

bool snag_symbols_place(struct snag_symbols *s, uint64_t address, struct snag_code_place *ret)
{
	struct module *m = module_at(s, address);
	struct unit *u = m && m->dwfl ? unit_at(m, address) : NULL;
	if (!u)
		return false;
	ret->unit = u->whole;
	ret->address = address - u->bias;
	ret->n = snag_scopes_find(&u->scopes, &u->whole, ret->address, ret->scope, SNAG_MAX_FRAMES);
	return true;
}

bool snag_symbols_named(struct snag_symbols *s, uint64_t address, const char *name, size_t n,
			size_t k, uint64_t *ret_start)
{
	struct module *m = module_at(s, address);
	if (!m || !m->dwfl)
		return false;
	if (!m->has_objects)
		objects_read(s, m);
	for (size_t i = 0; i < m->nobjects; i++) {
		const struct snag_object *o = &m->object[i];
		if (strncmp(o->name, name, n) == 0 && !o->name[n] && k-- == 0) {
			*ret_start = o->start - (m->nunits ? m->unit[0].bias : m->bias);
			return true;
		}
	}
	return false;
}

bool snag_symbols_units(struct snag_symbols *s, uint64_t address,
			bool (*on_unit)(void *ctx, Dwarf_Die *unit), void *ctx)
{
	struct module *m = module_at(s, address);
	if (!m || !m->dwfl)
		return false;
	if (!m->has_ranges)
		ranges_read(m);
	for (size_t i = 0; i < m->nunits; i++)
		if (on_unit(ctx, &m->unit[i].whole))
			return true;
	return false;
}
