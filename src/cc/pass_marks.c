/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_marks.c - the marks that the compiler and the plugin for clang leave in a program
 *
 * A file may have any content: a text without a NUL at its end is not read.
 */
#include "cc/pass_marks.h"

#include "base/strtab.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_name[CC_PASS_KINDS] = {
#define REMOVAL(name, text, in_traces, about) text,
#include "pass/removals.def"
#undef REMOVAL
	"checks",
};

typedef void text_handler(void *ctx, const char *text, size_t len);

/* Calls back for each text of a section; NUL bytes separate the texts. */
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
	struct cc_pass_marks *marks;
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
			for (int i = 0; i < CC_PASS_KINDS - 1; i++)
				r->marks->places[i] += strcmp(kind, kind_name[i]) == 0 ? n : 0;
		else if (sscanf(tab, "\t%" SCNu64, &n) == 1)
			r->marks->places[CC_PASS_KINDS - 1] += n;
	}
}

/* Returns whether a word names a source.  The name of a preprocessed file (.i) does not count:
 * the marks have the name of the source that it came from. */
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

/* Returns whether the last -O of a command line optimises. */
static bool is_optimised(const char *text, size_t len)
{
	static const char option[] = " -O";
	const char *end = text + len, *at;
	bool is = false;
	for (; (at = memmem(text, (size_t)(end - text), option, strlen(option))); text = at + 1) {
		const char *level = at + strlen(option);
		is = level == end || *level != '0';
	}
	return is;
}

/* Reads a command line: words with spaces between them; a backslash precedes a space inside a
 * word. */
static void command_read(void *ctx, const char *text, size_t len)
{
	char word[PATH_MAX];
	size_t n = 0;
	struct reading *r = ctx;
	r->marks->is_optimised |= is_optimised(text, len);
	if (!memmem(text, len, "/snag-pass-", strlen("/snag-pass-")))
		return;
	r->marks->says = true;
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

void cc_pass_marks_read(const char *path, struct cc_pass_marks *marks)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct reading r = {.marks = marks};
	if (fd < 0)
		return;
	snag_strtab_init(&r.sources);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	marks->says |= section_texts(elf, ".snag.pass", mark_read, &r);
	section_texts(elf, ".GCC.command.line", command_read, &r);
	snag_strtab_done(&r.sources);
	elf_end(elf);
	close(fd);
}

const char *cc_pass_kind_name(int kind)
{
	return kind_name[kind];
}
