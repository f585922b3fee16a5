/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_marks.c - what the plugin for clang left behind in a program
 *
 * The file is the user's and may be anything: texts that do not end are not read.
 */
#include "cc/pass_marks.h"

#include "base/strtab.h"
#include "cc/libraries.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_name[PASS_KINDS] = {
#define REMOVAL(name, text, in_traces, about) text,
#include "pass/removals.def"
#undef REMOVAL
	"checks",
};

/* What the plugin left behind in one file, or several. */
struct pass_marks {
	bool says;		     /* anything */
	uint64_t places[PASS_KINDS]; /* accesses in the code, by what became of their checks */
	size_t nmissing;	     /* source files without checks ... */
	char missing[256];	     /* ... of which this is one */
};

typedef void text_handler(void *ctx, const char *text, size_t len);

/* Calls back for each text of a section, those between NUL bytes. */
static bool section_texts(Elf *elf, const char *name, text_handler *handler, void *ctx)
{
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		const char *is = gelf_getshdr(section, &header)
					 ? elf_strptr(elf, names, header.sh_name)
					 : NULL;
		Elf_Data *data = is && strcmp(is, name) == 0 ? elf_rawdata(section, NULL) : NULL;
		if (!data || !data->d_buf)
			continue;
		const char *at = data->d_buf, *end = at + data->d_size;
		for (const char *nul; (nul = memchr(at, 0, (size_t)(end - at))); at = nul + 1)
			if (nul > at)
				handler(ctx, at, (size_t)(nul - at));
		return true;
	}
	return false;
}

struct reading {
	struct snag_strtab sources; /* the files with checks */
	struct pass_marks *marks;
};

/* <source> TAB <checks> TAB <removal>=<n> ... */
static void mark_read(void *ctx, const char *text, size_t len)
{
	struct reading *r = ctx;
	const char *tab = memchr(text, '\t', len);
	snag_strtab_intern(&r->sources, text, tab ? (size_t)(tab - text) : len);
	for (; tab; tab = strchr(tab + 1, '\t')) {
		uint64_t n;
		char kind[32];
		if (sscanf(tab, "\t%31[a-z]=%" SCNu64, kind, &n) == 2)
			for (int i = 0; i < PASS_KINDS - 1; i++)
				r->marks->places[i] += strcmp(kind, kind_name[i]) == 0 ? n : 0;
		else if (sscanf(tab, "\t%" SCNu64, &n) == 1)
			r->marks->places[PASS_KINDS - 1] += n;
	}
}

/* What was preprocessed before is known by the name of what it came from. */
static bool is_source(const char *word, size_t len)
{
	static const char *const ends[] = {".c",   ".cc",  ".cp",  ".cxx",
					   ".cpp", ".CPP", ".c++", ".C"};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && word[0] != '-' &&
		    memcmp(word + len - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
			return true;
	return false;
}

static void source_look(struct reading *r, const char *word, size_t len)
{
	if (snag_strtab_find(&r->sources, word, len) != SNAG_NO_ID)
		return;
	r->marks->nmissing++;
	snprintf(r->marks->missing, sizeof(r->marks->missing), "%.*s", (int)len, word);
}

/* A command line: words with spaces between them, and backslashes before those inside. */
static void command_read(void *ctx, const char *text, size_t len)
{
	char word[PATH_MAX];
	size_t n = 0;
	if (!memmem(text, len, "/snag-pass-", strlen("/snag-pass-")))
		return;
	for (size_t i = 0; i <= len; i++) {
		if (i == len || text[i] == ' ') {
			if (is_source(word, n))
				source_look(ctx, word, n);
			n = 0;
			continue;
		}
		i += text[i] == '\\' && i + 1 < len;
		if (n < sizeof(word))
			word[n++] = text[i];
	}
}

/* Reads a file; false: it says nothing. */
static bool marks_read(const char *path, struct pass_marks *ret_marks)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct reading r = {.marks = ret_marks};
	if (fd < 0)
		return false;
	snag_strtab_init(&r.sources);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool says = section_texts(elf, ".snag.pass", mark_read, &r);
	says |= section_texts(elf, ".GCC.command.line", command_read, &r);
	snag_strtab_done(&r.sources);
	elf_end(elf);
	close(fd);
	return says;
}

static void file_check(void *ctx, const char *path)
{
	struct pass_marks m = {0};
	if (marks_read(path, &m) && m.nmissing > 0)
		fprintf(stderr,
			"snag: warning: %s: compiled by 'snag cc', but the compiler left the "
			"checks out of "
			"%s%s; try -fno-snag-pass\n",
			path, m.missing, m.nmissing > 1 ? " and others" : "");
}

void cli_pass_check(const char *program)
{
	cli_program_files(program, file_check, NULL);
}

void cli_pass_check_opened(const char *paths)
{
	for (; *paths; paths += strlen(paths) + 1)
		file_check(NULL, paths);
}

static void file_add(void *ctx, const char *path)
{
	struct pass_marks *sum = ctx;
	sum->says |= marks_read(path, sum);
}

static void line_print(const char *name, uint64_t places, const uint64_t *executed)
{
	fprintf(stderr, "snag:   %-12s %10" PRIu64, name, places);
	if (executed)
		fprintf(stderr, " %14" PRIu64 " %14" PRIu64, executed[0], executed[1]);
	fputc('\n', stderr);
}

void cli_pass_stats(const char *program, const uint64_t executed[PASS_COUNTS])
{
	enum { LEFT = PASS_KINDS - 1 };
	struct pass_marks m = {0};
	bool has_counts = false;
	for (int i = 0; i < PASS_COUNTS; i++)
		has_counts |= executed[i] > 0;
	cli_program_files(program, file_add, &m);
	if (!m.says)
		return;
	fprintf(stderr, "snag: checks in the code%s\n",
		has_counts ? ", executed: reads, writes" : "");
	line_print("left", m.places[LEFT], has_counts ? &executed[2 * LEFT] : NULL);
	for (int i = 0; i < LEFT; i++)
		line_print(kind_name[i], m.places[i], has_counts ? &executed[2 * i] : NULL);
	if (has_counts)
		fprintf(stderr, "snag:   %-23s %14" PRIu64 " %14" PRIu64 "\n", "of loops",
			executed[2 * PASS_KINDS], executed[2 * PASS_KINDS + 1]);
}
