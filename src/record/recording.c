/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.c - the trace of a running program, as a file
 *
 * State.  target  the sink of the file that was asked for
 *         staged  that of the temporary file, to which events go; NULL: they go to the target
 *         path    of the file to be read again: the target, or the temporary one
 */
#include "record/recording.h"

#include "base/memory.h"
#include "record/live.h"
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
	r->is_temporary = true;
	struct snag_output *out;
	int rc = snag_output_open(r->path, &out, err);
	r->staged = rc < 0 ? NULL : snag_binary_sink(out);
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
	if (can_be_read_again(path, target))
		r->path = strdup(path);
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
	if (r->is_temporary)
		unlink(r->path);
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

int snag_recording_commit(struct snag_recording *r, struct snag_source *live, uint64_t event[2],
			  struct snag_error *err)
{
	struct snag_sink *target = r->target, *staged = r->staged;
	int rc = snag_sink_commit(staged ? staged : target, err);
	r->staged = NULL;
	if (!staged)
		target = NULL;
	if (rc == 0 && !target && snag_live_is_split(live))
		rc = snag_sink_open(r->path, 0, &target, err);
	if (rc == 0 && target)
		rc = snag_live_refine(live, r->path, target, event, err);
	else
		snag_sink_abort(target);
	recording_free(r);
	return rc;
}
