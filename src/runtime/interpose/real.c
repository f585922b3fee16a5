/* SPDX-License-Identifier: Apache-2.0
 *
 * real.c - the functions of the C library behind those that the runtime defines
 *
 * Idea.   dlsym finds them, but it allocates, and the allocator may be the program's own, or
 *         jemalloc: its initialisation takes locks and reads files, through functions
 *         of which the runtime has no real one yet.  So the runtime reads the symbol tables
 *         itself.  It calls only dl_iterate_phdr and the resolvers of indirect functions, which
 *         call nothing.
 * Rules.  [next]     The first module after the program that defines the symbol counts, in the
 *                    order of the loader.  dlsym(RTLD_NEXT) would find the same.
 *         [version]  Of several versions the default one counts, to which the linker
 *                    would bind today.
 * Cost.   One look into a hash table for each function and module.
 */
#include "runtime/interpose/real.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { HIDDEN_VERSION = 0x8000, TYPE_MASK = 15, BLOOM_BITS = 64 };

struct rt_real rt_real;

/* The tables of a module with the symbols that it defines. */
struct module {
	uintptr_t base;
	const uint32_t *gnu, *old; /* its hash tables; NULL: none */
	const ElfW(Sym) * symbol;
	const ElfW(Half) * version; /* NULL: none */
	const char *names;
};

static const struct wanted {
	const char *name;
	void **place;
} wanted[] = {
#define REAL(type, name, parameters) {#name, (void **)&rt_real.name},
#include "runtime/interpose/real.def"
#undef REAL
};

enum { WANTED = sizeof(wanted) / sizeof(wanted[0]) };

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;
	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* The loader has relocated the addresses, except in modules that it may not write. */
static const void *relocated(const struct dl_phdr_info *info, uintptr_t at)
{
	return (const void *)(at < info->dlpi_addr ? at + info->dlpi_addr : at);
}

static struct module module_of(const struct dl_phdr_info *info)
{
	struct module m = {.base = info->dlpi_addr};
	const ElfW(Dyn) *d = NULL;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = relocated(info, d->d_un.d_ptr);
		if (d->d_tag == DT_GNU_HASH)
			m.gnu = at;
		else if (d->d_tag == DT_HASH)
			m.old = at;
		else if (d->d_tag == DT_SYMTAB)
			m.symbol = at;
		else if (d->d_tag == DT_VERSYM)
			m.version = at;
		else if (d->d_tag == DT_STRTAB)
			m.names = at;
	}
	return m;
}

/* [version] */
static bool is_it(const struct module *m, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &m->symbol[i];
	return s->st_shndx != SHN_UNDEF && s->st_value &&
	       !(m->version && m->version[i] & HIDDEN_VERSION) &&
	       strcmp(m->names + s->st_name, name) == 0;
}

/* The table: number of buckets, first symbol, words of the filter, its shift; the filter; the
 * buckets; hashes, of which the last bit ends a chain. */
static const ElfW(Sym) * gnu_find(const struct module *m, const char *name)
{
	const uint32_t nbuckets = m->gnu[0], first = m->gnu[1], nfilter = m->gnu[2],
		       h = hash_of(name);
	const uint64_t *filter = (const uint64_t *)(m->gnu + 4);
	const uint32_t *bucket = (const uint32_t *)(filter + nfilter), *chain = bucket + nbuckets;
	const uint64_t word = filter[h / BLOOM_BITS % nfilter];
	if (!(word >> h % BLOOM_BITS & word >> (h >> m->gnu[3]) % BLOOM_BITS & 1))
		return NULL;
	uint32_t i = bucket[h % nbuckets];
	if (i < first)
		return NULL;
	for (;; i++) {
		const uint32_t here = chain[i - first];
		if ((here | 1) == (h | 1) && is_it(m, i, name))
			return &m->symbol[i];
		if (here & 1)
			return NULL;
	}
}

/* Modules with only the old table are rare: the runtime reads all their symbols. */
static const ElfW(Sym) * old_find(const struct module *m, const char *name)
{
	for (uint32_t i = 1; i < m->old[1]; i++)
		if (is_it(m, i, name))
			return &m->symbol[i];
	return NULL;
}

static void *address_of(const struct module *m, const ElfW(Sym) * s)
{
	void *at = (void *)(m->base + s->st_value);
	if ((s->st_info & TYPE_MASK) != STT_GNU_IFUNC)
		return at;
	void *(*resolve)(void);
	*(void **)&resolve = at;
	return resolve();
}

/* [next] */
static int module_look(struct dl_phdr_info *info, size_t size, void *count)
{
	const struct module m = module_of(info);
	bool is_program = (*(int *)count)++ == 0,
	     is_vdso = !strncmp(info->dlpi_name, "linux-vdso", 10);
	if (is_program || is_vdso || !m.symbol || !m.names || (!m.gnu && !m.old))
		return 0;
	for (int i = 0; i < WANTED; i++) {
		const ElfW(Sym) *s = *wanted[i].place ? NULL
				     : m.gnu	      ? gnu_find(&m, wanted[i].name)
						      : old_find(&m, wanted[i].name);
		if (s)
			*wanted[i].place = address_of(&m, s);
	}
	return 0;
}

void rt_real_begin(void)
{
	int count = 0;
	dl_iterate_phdr(module_look, &count);
}
