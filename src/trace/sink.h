/* SPDX-License-Identifier: Apache-2.0
 *
 * sink.h - where events go: a trace file being written
 *
 * The mirror image of source.h.  A sink gets batches with the names they use.  At commit the
 * file appears under its name; at abort nothing is left behind.
 */
#ifndef SNAG_TRACE_SINK_H
#define SNAG_TRACE_SINK_H

#include "trace/source.h"

struct snag_sink {
	const struct snag_sink_ops *ops;
};

struct snag_sink_ops {
	int (*write)(struct snag_sink *sink, const struct snag_batch *batch,
		     const struct snag_names *names, struct snag_error *err);
	/* Both end the sink and free it. */
	int (*commit)(struct snag_sink *sink, struct snag_error *err);
	void (*abort)(struct snag_sink *sink);
	/* The sink accepts runs, and reads a name only once: in the first batch that has its id
	 * or a higher one. */
	bool takes_runs;
	/* As snag_output_keep. */
	void (*keep)(struct snag_sink *sink);
	/* As snag_output_written.  NULL: it is not known. */
	uint64_t (*written)(const struct snag_sink *sink);
	/* As snag_sink_expect_splits() and snag_sink_put_splits().  NULL: it cannot hold splits. */
	void (*expect_splits)(struct snag_sink *sink);
	int (*put_splits)(struct snag_sink *sink, const struct snag_split *split, size_t n,
			  const struct snag_names *names, struct snag_error *err);
};

static inline int snag_sink_write(struct snag_sink *sink, const struct snag_batch *batch,
				  const struct snag_names *names, struct snag_error *err)
{
	return sink->ops->write(sink, batch, names, err);
}

static inline int snag_sink_commit(struct snag_sink *sink, struct snag_error *err)
{
	return sink->ops->commit(sink, err);
}

static inline void snag_sink_abort(struct snag_sink *sink) /* accepts NULL */
{
	if (sink)
		sink->ops->abort(sink);
}

/* Writes all of a source and commits, or aborts. */
int snag_sink_copy(struct snag_sink *sink, struct snag_source *src, struct snag_error *err);

static inline void snag_sink_keep(struct snag_sink *sink)
{
	sink->ops->keep(sink);
}

static inline uint64_t snag_sink_written(const struct snag_sink *sink)
{
	return sink->ops->written ? sink->ops->written(sink) : 0;
}

/* Announces recorded events whose splits (split.h) will follow; call it before the first write.
 * Returns false if the sink cannot store splits. */
static inline bool snag_sink_expect_splits(struct snag_sink *sink)
{
	if (sink->ops->expect_splits)
		sink->ops->expect_splits(sink);
	return sink->ops->expect_splits != NULL;
}

/* Writes the splits that matter, after all events and before commit. */
static inline int snag_sink_put_splits(struct snag_sink *sink, const struct snag_split *split,
				       size_t n, const struct snag_names *names,
				       struct snag_error *err)
{
	return n ? sink->ops->put_splits(sink, split, n, names, err) : 0;
}

/* Opens a sink.  The extension before any .gz or .zst chooses the format (formats.h); an unknown
 * one is an error.  Some formats need the number of threads in advance: `threads`, else 0. */
int snag_sink_open(const char *path, uint32_t threads, struct snag_sink **ret_sink,
		   struct snag_error *err);
/* Returns whether the format of that name needs the number of threads in advance. */
bool snag_sink_needs_threads(const char *path);

/* The formats themselves.  Each takes over `out`. */
struct snag_output;
struct snag_sink *snag_std_sink(struct snag_output *out);
struct snag_sink *snag_csv_sink(struct snag_output *out, uint32_t threads);
struct snag_sink *snag_binary_sink(struct snag_output *out);

#endif
