/* SPDX-License-Identifier: Apache-2.0
 *
 * tee.c - a source that writes what passes through it to a file
 */
#include "trace/tee.h"

#include "base/memory.h"
#include "trace/input.h"
#include "trace/sink.h"

#include <string.h>

struct tee {
	struct snag_source src;
	struct snag_source *inner;
	struct snag_sink *sink; /* NULL: the file is complete, or cut short */
	struct snag_error cut;	/* why; .code is 0: it is not */
	uint64_t bound;		/* bytes that the file may have; 0: any number */
	char *path;
};

/* Reads the file that the tee has written, from the first next() on. */
struct again {
	struct snag_source src;
	struct snag_source *file;
	char *path;
	bool takes_runs, takes_splits, forgets_variables, is_lenient;
};

static char *path_copy(const char *path)
{
	return strcpy(snag_alloc(strlen(path) + 1), path);
}

static int again_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct again *a = (struct again *)src;
	struct snag_input *in;
	if (!a->file) {
		int rc = snag_input_open(a->path, &in, err);
		if (rc == 0)
			rc = snag_binary_source(
				in, &(struct snag_source_options){.lenient = a->is_lenient},
				&a->file, err);
		if (rc < 0)
			return rc;
		a->src.names = a->file->names;
		if (a->takes_runs)
			snag_source_take_runs(a->file);
		if (a->forgets_variables)
			snag_source_forget_variables(a->file);
		if (a->takes_splits)
			snag_source_take_splits(a->file);
	}
	return snag_source_next(a->file, ret_batch, err);
}

static double again_progress(const struct snag_source *src)
{
	const struct again *a = (const struct again *)src;
	return a->file ? snag_source_progress(a->file) : 0;
}

static void again_close(struct snag_source *src)
{
	struct again *a = (struct again *)src;
	snag_source_close(a->file);
	free(a->path);
	free(a);
}

static bool again_take_runs(struct snag_source *src)
{
	return ((struct again *)src)->takes_runs = true;
}

static void again_forget_variables(struct snag_source *src)
{
	((struct again *)src)->forgets_variables = true;
}

static bool again_take_splits(struct snag_source *src)
{
	return ((struct again *)src)->takes_splits = true;
}

static const struct snag_source_ops again_ops = {.next = again_next,
						 .progress = again_progress,
						 .close = again_close,
						 .take_runs = again_take_runs,
						 .forget_variables = again_forget_variables,
						 .take_splits = again_take_splits};

/* The program, of which no more is written, runs to its end. */
static int rest_drop(struct tee *t)
{
	struct snag_batch batch;
	int rc = 1;
	while (rc > 0)
		rc = snag_source_next(t->inner, &batch, NULL);
	return rc;
}

/* The file stays as it is. */
static int tee_cut(struct tee *t)
{
	snag_sink_abort(t->sink); /* which keeps it */
	t->sink = NULL;
	return rest_drop(t);
}

/* The file is whole; returns false if it cannot be written. */
static bool file_end(struct tee *t)
{
	const struct snag_split *split;
	size_t n = snag_source_splits(t->inner, &split);
	snag_sink_keep(t->sink);
	if (snag_sink_put_splits(t->sink, split, n, t->inner->names, &t->cut) < 0)
		return false;
	struct snag_sink *sink = t->sink;
	t->sink = NULL;
	snag_sink_commit(sink, &t->cut);
	return true;
}

static bool is_full(const struct tee *t)
{
	return t->bound && snag_sink_written(t->sink) >= t->bound;
}

static int tee_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct tee *t = (struct tee *)src;
	int rc = snag_source_next(t->inner, ret_batch, err);
	if (!t->sink || rc < 0)
		return rc;
	if (rc == 0)
		return file_end(t) ? 0 : tee_cut(t);
	if (is_full(t)) {
		snag_fail(&t->cut, SNAG_EIO, "%s: the trace reaches the limit of --disk", t->path);
		return file_end(t) ? rest_drop(t) : tee_cut(t);
	}
	if (snag_sink_write(t->sink, ret_batch, t->inner->names, &t->cut) == 0)
		return rc;
	snag_sink_keep(t->sink);
	return tee_cut(t);
}

const char *snag_tee_cut(const struct snag_source *tee)
{
	const struct tee *t = (const struct tee *)tee;
	return t->cut.code ? t->cut.msg : NULL;
}

static double tee_progress(const struct snag_source *src)
{
	return snag_source_progress(((const struct tee *)src)->inner);
}

static void tee_close(struct snag_source *src)
{
	struct tee *t = (struct tee *)src;
	snag_sink_abort(t->sink);
	snag_source_close(t->inner);
	free(t->path);
	free(t);
}

static int tee_again(const struct snag_source *src, struct snag_source **ret_src,
		     struct snag_error *err)
{
	const struct tee *t = (const struct tee *)src;
	struct again *a = snag_calloc(1, sizeof(*a));
	(void)err;
	a->path = path_copy(t->path);
	a->is_lenient = t->cut.code;
	a->src =
		(struct snag_source){.ops = &again_ops, .name = t->src.name, .names = t->src.names};
	*ret_src = &a->src;
	return 1;
}

static bool tee_take_runs(struct snag_source *src)
{
	struct tee *t = (struct tee *)src;
	return t->sink->ops->takes_runs && snag_source_take_runs(t->inner);
}

static void tee_forget_variables(struct snag_source *src)
{
	struct tee *t = (struct tee *)src;
	if (t->sink->ops->takes_runs) /* it asks for a name once, too */
		snag_source_forget_variables(t->inner);
}

static bool tee_take_splits(struct snag_source *src)
{
	return snag_source_take_splits(((struct tee *)src)->inner);
}

static const struct snag_source_ops tee_ops = {.next = tee_next,
					       .progress = tee_progress,
					       .close = tee_close,
					       .again = tee_again,
					       .take_runs = tee_take_runs,
					       .forget_variables = tee_forget_variables,
					       .take_splits = tee_take_splits};

int snag_tee_source(struct snag_source *inner, const char *path, struct snag_source **ret_src,
		    struct snag_error *err)
{
	struct snag_sink *sink;
	int rc = snag_sink_open(path, 0, &sink, err);
	if (rc < 0) {
		snag_source_close(inner);
		return rc;
	}
	struct tee *t = snag_calloc(1, sizeof(*t));
	t->inner = inner;
	t->sink = sink;
	if (inner->ops->splits)
		snag_sink_expect_splits(sink);
	t->path = path_copy(path);
	t->src = (struct snag_source){
		.ops = &tee_ops, .name = inner->name, .names = inner->names, .is_growing = true};
	*ret_src = &t->src;
	return 0;
}

void snag_tee_bound(struct snag_source *tee, uint64_t nbytes)
{
	((struct tee *)tee)->bound = nbytes;
}

struct snag_source *snag_tee_inner(const struct snag_source *tee)
{
	return ((const struct tee *)tee)->inner;
}
