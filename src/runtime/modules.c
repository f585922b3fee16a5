/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.c - the program and its shared libraries: where they lie, which ones they are
 *
 * A module is reported as its path and build id (hexadecimal), the address that its own
 * addresses count from, and how far it reaches.  The program, which has the runtime in it,
 * was compiled with snag; so was a library that asks for it.
 */
#include "runtime/modules.h"

#include "runtime/channel/record.h"
#include "runtime/options.h"
#include "runtime/sys.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

enum { PAGE = 4096, PATH_BYTES = 1024, ID_BYTES = RT_BUILD_ID, MOST_INSTRUMENTED = 256 };

struct range {
	uintptr_t start, end;
};

static struct range
	instrumented[MOST_INSTRUMENTED]; /* modules; most addresses are in the first one */
static uint32_t ninstrumented;
static struct range fortran; /* gfortran's library; empty: not loaded */
/* how many libraries the loader had loaded when the runtime last looked */
static uint64_t reported;
static size_t nopened; /* bytes of rt.channel->opened */

static size_t id_put(char *to, const uint8_t *id, size_t n)
{
	size_t at = 0;
	for (size_t i = 0; i < n && at + 2 < ID_BYTES; i++) {
		to[at++] = "0123456789abcdef"[id[i] >> 4];
		to[at++] = "0123456789abcdef"[id[i] & 15];
	}
	return at;
}

/* The build id in a segment of notes, as text; 0: there is none. */
static size_t note_id(const char *at, size_t n, char *to)
{
	const char *end = at + n;
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		const char *name = at + sizeof(*note);
		const char *id = name + ((note->n_namesz + 3) & ~3u);
		if (id + note->n_descsz > end)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0)
			return id_put(to, (const uint8_t *)id, note->n_descsz);
		at = id + ((note->n_descsz + 3) & ~3u);
	}
	return 0;
}

/* Finds the path of a module. The program itself has no name; without /proc, its path is the
 * word it was started with. */
static size_t path_put(const char *name, char *to)
{
	if (!*name) {
		long n = rt_sys(SYS_readlink, (long)"/proc/self/exe", (long)to, PATH_BYTES - 1, 0,
				0, 0);
		if (n > 0)
			return (size_t)n;
		name = (const char *)getauxval(AT_EXECFN);
	}
	size_t n = name ? strlen(name) : 0;
	n = n < PATH_BYTES - 1 ? n : PATH_BYTES - 1;
	memcpy(to, name ? name : "", n);
	return n;
}

/* Returns the range of a module's segments. */
static struct range range_of(const struct dl_phdr_info *info)
{
	struct range r = {UINTPTR_MAX, info->dlpi_addr};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uintptr_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		r.start = at < r.start ? at : r.start;
		r.end = at + p->p_memsz > r.end ? at + p->p_memsz : r.end;
	}
	return r;
}

bool rt_modules_instrumented(uintptr_t pc)
{
	for (uint32_t i = 0; i < ninstrumented; i++)
		if (pc - instrumented[i].start < instrumented[i].end - instrumented[i].start)
			return true;
	return ninstrumented == MOST_INSTRUMENTED;
}

bool rt_modules_counts(uintptr_t pc)
{
	return rt_modules_instrumented(pc) || !rt_options.ignore_noninstrumented_modules;
}

bool rt_modules_is_fortran(uintptr_t pc)
{
	return pc - fortran.start < fortran.end - fortran.start;
}

bool rt_modules_is_program(uintptr_t pc)
{
	const uint64_t base = rt.channel->verdict.program.base;
	return pc - base < rt.channel->verdict.program.end - base;
}

static void program_note(uintptr_t base, uintptr_t end, const char *id, size_t n)
{
	rt.channel->verdict.program.base = base;
	rt.channel->verdict.program.end = end;
	memcpy(rt.channel->verdict.program.build_id, id, n);
}

/* Returns an address of a dynamic section; the loader has relocated it, unless the section
 * cannot be written. */
static uintptr_t dynamic_at(const struct dl_phdr_info *info, const ElfW(Dyn) * d, int64_t tag)
{
	for (; d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag)
			return d->d_un.d_ptr < info->dlpi_addr ? d->d_un.d_ptr + info->dlpi_addr
							       : d->d_un.d_ptr;
	return 0;
}

/* Returns whether a library needs __tsan_init, as all code compiled with snag does. The symbols
 * that it only needs come before those in its hash table. */
static bool asks_for_init(const struct dl_phdr_info *info, const ElfW(Dyn) * d)
{
	const uint32_t *gnu = (const uint32_t *)dynamic_at(info, d, DT_GNU_HASH);
	const uint32_t *old = (const uint32_t *)dynamic_at(info, d, DT_HASH);
	const ElfW(Sym) *symbol = (const ElfW(Sym) *)dynamic_at(info, d, DT_SYMTAB);
	const char *names = (const char *)dynamic_at(info, d, DT_STRTAB);
	uint32_t n = gnu ? gnu[1] : old ? old[1] : 0;
	for (uint32_t i = 1; symbol && names && i < n; i++)
		if (symbol[i].st_shndx == SHN_UNDEF &&
		    strcmp(names + symbol[i].st_name, "__tsan_init") == 0)
			return true;
	return false;
}

static void opened_note(const char *path)
{
	size_t n = strlen(path) + 1;
	if (n >= sizeof(rt.channel->opened) - nopened)
		return;
	memcpy(rt.channel->opened + nopened, path, n);
	nopened += n;
}

static void instrumented_note(const struct dl_phdr_info *info, bool is_opened)
{
	struct range r = range_of(info);
	bool is_seen = rt_modules_instrumented(r.start);
	bool is_ours = (uintptr_t)&instrumented - r.start < r.end - r.start;
	for (int i = 0; i < info->dlpi_phnum && !is_ours; i++)
		is_ours = info->dlpi_phdr[i].p_type == PT_DYNAMIC &&
			  asks_for_init(info, (const ElfW(Dyn) *)(info->dlpi_addr +
								  info->dlpi_phdr[i].p_vaddr));
	if (!is_ours || is_seen || ninstrumented == MOST_INSTRUMENTED)
		return;
	instrumented[ninstrumented++] = r;
	if (is_opened)
		opened_note(info->dlpi_name);
}

static int module_report(struct dl_phdr_info *info, size_t size, void *is_opened)
{
	char text[PATH_BYTES + ID_BYTES];
	size_t n = path_put(info->dlpi_name, text), id = 0;
	uintptr_t end = range_of(info).end;
	text[n++] = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_NOTE && !id)
			id = note_id((const char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz,
				     text + n);
	}
	instrumented_note(info, is_opened != NULL);
	if (strstr(info->dlpi_name, "/libgfortran.so"))
		fortran = range_of(info);
	if (!*info->dlpi_name && !is_opened)
		program_note(info->dlpi_addr, end, text + n, id);
	rt_record_text(RT_MODULE, info->dlpi_addr, text, n + id);
	rt_put(RT_MODULE_END, 0, info->dlpi_addr, 0,
	       (uint32_t)((end - info->dlpi_addr + PAGE - 1) / PAGE));
	return 0;
}

static int count(struct dl_phdr_info *info, size_t size, void *ret_added)
{
	*(uint64_t *)ret_added = info->dlpi_adds;
	return 1;
}

void rt_modules_forget(void)
{
	reported = 0;
	nopened = 0;
}

void rt_modules_report(void)
{
	uint64_t added = 0;
	dl_iterate_phdr(count, &added);
	if (added == reported)
		return;
	bool is_later = reported > 0;
	reported = added;
	dl_iterate_phdr(module_report, is_later ? &reported : NULL);
}
