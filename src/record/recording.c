/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.c - the trace of a running program, as a file
 *
 * State.  target  the sink of the output file
 *         staged  the sink of the temporary file, which gets the events; NULL: the target gets them
 *         path    of the file to be read again: the target, or the temporary one
 */
#include "record/recording.h"

#include "base/leftovers.h"
#include "base/memory.h"
#include "record/live.h"
#include "trace/input.h"
#include "trace/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct snag_recording {
	struct snag_sink *target, *staged;
	char *path;
	bool is_temporary; /* the path, which goes away */
};

static bool can_be_read_again(const char *path, const struct snag_sink *sink)
{
	struct stat st;
	return sink->ops->takes_runs && strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/proc/", 6) != 0 && (stat(path, &st) < 0 || S_ISREG(st.st_mode));
}

static int stage_open(struct snag_recording *r, struct snag_error *err)
{
	const char *folder = getenv("TMPDIR");
	folder = folder && *folder ? folder : "/tmp";
	size_t n = strlen(folder) + sizeof("/snag.XXXXXX");
	r->path = snag_alloc(n);
	snprintf(r->path, n, "%s/snag.XXXXXX", folder);
	int fd = mkostemp(r->path, O_CLOEXEC);
	if (fd < 0)
		return snag_fail(err, SNAG_EIO, "TMPDIR: %.300s: %s", folder, strerror(errno));
	close(fd);
	snag_leftover_add(r->path);
	r->is_temporary = true;
	struct snag_output *out;
	int rc = snag_output_open(r->path, &out, err);
	r->staged = rc < 0 ? NULL : snag_binary_sink(out);
	if (r->staged)
		snag_sink_expect_splits(r->staged);
	return rc;
}

int snag_recording_open(const char *path, struct snag_recording **ret_recording,
			struct snag_error *err)
{
	struct snag_sink *target;
	int rc = snag_sink_open(path, 0, &target, err);
	if (rc < 0)
		return rc;
	struct snag_recording *r = snag_calloc(1, sizeof(*r));
	r->target = target;
	snag_sink_keep(target);
	if (can_be_read_again(path, target) && snag_sink_expect_splits(target))
		r->path = snag_strdup(path);
	else
		rc = stage_open(r, err);
	if (rc < 0) {
		snag_recording_abort(r);
		return rc;
	}
	*ret_recording = r;
	return 0;
}

int snag_recording_write(struct snag_recording *r, const struct snag_batch *batch,
			 const struct snag_names *names, struct snag_error *err)
{
	return snag_sink_write(r->staged ? r->staged : r->target, batch, names, err);
}

static void recording_free(struct snag_recording *r)
{
	if (r->is_temporary) {
		unlink(r->path);
		snag_leftover_forget(r->path);
	}
	free(r->path);
	free(r);
}

void snag_recording_abort(struct snag_recording *r)
{
	if (!r)
		return;
	snag_sink_abort(r->staged);
	snag_sink_abort(r->target);
	recording_free(r);
}

/* Writes the staged file, refined, to the target, and closes the target. */
static int target_write(const struct snag_recording *r, struct snag_sink *target,
			struct snag_error *err)
{
	struct snag_source *staged;
	struct snag_input *in;
	int rc = snag_input_open(r->path, &in, err);
	if (rc == 0)
		rc = snag_binary_source(in, NULL, &staged, err);
	if (rc < 0) {
		snag_sink_abort(target);
		return rc;
	}
	rc = snag_sink_copy(target, staged, err);
	snag_source_close(staged);
	return rc;
}

int snag_recording_commit(struct snag_recording *r, struct snag_source *live, uint64_t event[2],
			  struct snag_error *err)
{
	struct snag_sink *target = r->target, *sink = r->staged ? r->staged : target;
	const struct snag_split *split;
	size_t n = snag_source_splits(live, &split);
	int rc = snag_sink_put_splits(sink, split, n, live->names, err);
	if (rc < 0) {
		snag_recording_abort(r);
		return rc;
	}
	rc = snag_sink_commit(sink, err);
	if (rc == 0)
		rc = event ? snag_live_renumber(live, r->path, event, err) : 0;
	if (target != sink && rc == 0)
		rc = target_write(r, target, err);
	else if (target != sink)
		snag_sink_abort(target);
	recording_free(r);
	return rc;
}
