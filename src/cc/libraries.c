/* SPDX-License-Identifier: Apache-2.0
 *
 * libraries.c - the files a program is made of
 *
 * A file may have any content: one that cannot be read counts as a file that needs no library.
 */
#include "cc/libraries.h"

#include "base/strtab.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILES = 1024 };

/* Finds the file that a shell would start. */
void cc_program_path(const char *program, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	snprintf(path, PATH_MAX, "%s", program);
	if (strchr(program, '/') || !folders)
		return;
	for (; *folders; folders += *folders == ':') {
		int len = (int)strcspn(folders, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", len, folders, program);
		if (access(path, R_OK) == 0)
			return;
		folders += len;
	}
}

struct needs {
	Elf *elf;
	size_t strings; /* the section that holds the names */
	Elf_Data *entries;
	size_t n;
};

static bool needs_begin(struct needs *needs, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
			break;
	if (!section || !header.sh_entsize)
		return false;
	*needs = (struct needs){elf, header.sh_link, elf_getdata(section, NULL),
				header.sh_size / header.sh_entsize};
	return needs->entries != NULL;
}

/* Returns the next entry of this kind, from *at on; NULL: there are no more. */
static const char *needs_next(const struct needs *needs, int64_t tag, size_t *at)
{
	GElf_Dyn entry;
	while (*at < needs->n && *at < INT_MAX) {
		if (!gelf_getdyn(needs->entries, (int)(*at)++, &entry) || entry.d_tag == DT_NULL)
			return NULL;
		if (entry.d_tag == tag)
			return elf_strptr(needs->elf, needs->strings, entry.d_un.d_val);
	}
	return NULL;
}

/* Looks for the library in one of the folders; `origin` is the folder of the file that needs it. */
static bool in_folders(const char *folders, const char *origin, const char *name,
		       char path[PATH_MAX])
{
	for (; folders && *folders; folders += *folders == ':') {
		static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
		int len = (int)strcspn(folders, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", len, folders, name);
		for (int i = 0; i < 2; i++) {
			int skip = (int)strlen(words[i]);
			if (len >= skip && strncmp(folders, words[i], (size_t)skip) == 0)
				snprintf(path, PATH_MAX, "%s%.*s/%s", origin, len - skip,
					 folders + skip, name);
		}
		if (len && access(path, R_OK) == 0)
			return true;
		folders += len;
	}
	return false;
}

/* Adds the libraries that the file needs. */
static void file_needs(struct snag_strtab *files, const char *file)
{
	struct needs needs;
	char origin[PATH_MAX], path[PATH_MAX];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	snprintf(origin, sizeof(origin), "%s", file);
	char *slash = strrchr(origin, '/');
	snprintf(slash ? slash : origin, 2, "%s", slash ? "" : ".");
	if (elf && needs_begin(&needs, elf)) {
		size_t at = 0, rpath = 0, runpath = 0;
		const char *before = needs_next(&needs, DT_RPATH, &rpath);
		const char *after = needs_next(&needs, DT_RUNPATH, &runpath);
		for (const char *name; (name = needs_next(&needs, DT_NEEDED, &at));) {
			bool is_found =
				snprintf(path, sizeof(path), "%s", name) > 0 && strchr(name, '/');
			if ((is_found || in_folders(before, origin, name, path) ||
			     in_folders(getenv("LD_LIBRARY_PATH"), origin, name, path) ||
			     in_folders(after, origin, name, path) ||
			     in_folders("/usr/local/lib", origin, name, path)) &&
			    files->n < MAX_FILES)
				snag_strtab_intern(files, path, strlen(path));
		}
	}
	elf_end(elf);
	close(fd);
}

void cc_program_files(const char *program, cc_file_handler *handler, void *ctx)
{
	struct snag_strtab files;
	char path[PATH_MAX];
	elf_version(EV_CURRENT);
	snag_strtab_init(&files);
	cc_program_path(program, path);
	snag_strtab_intern(&files, path, strlen(path));
	for (uint32_t i = 0; i < files.n; i++) {
		snprintf(path, sizeof(path), "%s", snag_strtab_get(&files, i));
		handler(ctx, path);
		file_needs(&files, path);
	}
	snag_strtab_done(&files);
}
