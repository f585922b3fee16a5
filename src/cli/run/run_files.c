/* SPDX-License-Identifier: Apache-2.0
 *
 * run_files.c - files of `snag run`: where the trace goes, which races are not to be reported
 */
#include "cli/run/run_files.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_place_make(struct cli_place *p, const char *keep, struct snag_error *err)
{
	size_t n = keep ? strlen(keep) : 0;
	if (keep && (n < 5 || n >= SNAG_TEMPORARY_MAX || strcmp(keep + n - 5, ".snag") != 0))
		return snag_fail(err, SNAG_EINPUT, "--keep: %s: expected a name that ends in .snag",
				 keep);
	if (keep) {
		strcpy(p->file, keep);
		return 0;
	}
	int rc = snag_temporary_make(p->folder, err);
	snprintf(p->file, sizeof(p->file), "%s/run.snag", p->folder);
	return rc;
}

void cli_place_remove(const struct cli_place *p)
{
	if (p->folder[0])
		unlink(p->file);
	snag_temporary_remove(p->folder);
}

int cli_suppressions_read(const char *path, struct snag_suppressions *s, struct snag_error *err)
{
	size_t n = 0, room = 0, got;
	char *text = NULL;
	FILE *f = path ? fopen(path, "r") : NULL;
	if (!path)
		return 0;
	if (!f)
		return snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno));
	do {
		text = snag_grow(text, &room, n + 4096, 1);
		got = fread(text + n, 1, room - n, f);
		n += got;
	} while (got > 0);
	int rc = ferror(f) ? snag_fail(err, SNAG_EIO, "%s: cannot be read", path)
			   : snag_suppressions_add(s, path, text, n, err);
	fclose(f);
	free(text);
	return rc;
}

static const char own[] = "__tsan_default_suppressions";

int cli_suppressions_own(const char *text, struct snag_suppressions *s, struct snag_error *err)
{
	return snag_suppressions_add(s, own, text, strlen(text), err);
}

static void suppression_note(void *ctx, const char *text, const char *place, uint64_t matched,
			     bool is_over)
{
	(void)ctx;
	if (is_over) {
		fprintf(stderr, "snag: run: %s: suppression '%s' has expired: it is not applied\n",
			place, text);
		return;
	}
	if (!matched && strncmp(place, own, sizeof(own) - 1) != 0)
		fprintf(stderr, "snag: run: %s: suppression '%s' matched nothing\n", place, text);
}

void cli_suppressions_note(const struct snag_suppressions *s)
{
	snag_suppressions_each(s, suppression_note, NULL);
}
