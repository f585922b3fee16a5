/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_writer.c - writes a .snag file; docs/trace-format.md is the specification
 *
 * Idea.   Events gather until a block is full.  Then the block is written at once, with the
 *         names that were not written before.  So the file is always readable up to its last
 *         whole block.
 * State.  ev[0 .. n), run[0 .. nruns): the events of the next block, and the runs between them
 *         tail: the last events of the file, including those of runs
 *         words[s]: new names of space s, as in its NAMES column (by space, so that the file
 *         does not depend on how batches cut the trace)
 *         named[s]: how many names of space s were put there, in this block or before
 *         counted: how many of all names were only counted
 */
#include "trace/sink.h"

#include "base/memory.h"
#include "trace/output.h"
#include "trace/snag/snag_codec.h"
#include "trace/snag/snag_splits.h"
#include "trace/snag/snag_words.h"

#include <assert.h>
#include <string.h>

enum {
	BLOCK_EVENTS = 15 * SNAG_BATCH_EVENTS,
	BLOCK_TOTAL = SNAG_BLOCK_MAX_TOTAL - BLOCK_EVENTS, /* from here on it is written */
	NAMES_BYTES = 16 << 20, /* a block with more new names than this is written early */
	NAMES_FULL = 32 << 20,	/* or than this, each in full */
	NAMES_GROUP = 1024,	/* places between two looks at that */
};

_Static_assert(BLOCK_EVENTS <= (int)SNAG_BLOCK_MAX_EVENTS, "a reader accepts the block");

struct binary_sink {
	struct snag_sink base;
	struct snag_output *out;
	struct snag_encoder *encoder;
	bool has_header, expects_splits;
	bool is_open;	  /* the header says so, until commit */
	uint64_t written; /* events in blocks written */
	uint32_t nsplits; /* likewise */
	struct snag_event *ev;
	size_t n;
	struct snag_repeat *run;
	size_t nruns, run_cap;
	uint32_t total; /* events of the block, those of runs included */
	struct snag_tail tail;
	struct snag_words words[SNAG_SPACES];
	struct snag_bytes names_column;
	uint32_t named[SNAG_SPACES];
	uint64_t counted;
};

static int header_write(struct binary_sink *s, struct snag_error *err)
{
	uint8_t header[SNAG_FILE_HEADER_BYTES];
	if (s->has_header)
		return 0;
	s->has_header = true;
	s->is_open = snag_output_can_rewrite(s->out);
	snag_file_header_pack(header, s->expects_splits, s->is_open);
	return snag_output_write(s->out, header, sizeof(header), err);
}

/* The file is complete. */
static int header_close(struct binary_sink *s, struct snag_error *err)
{
	uint8_t header[SNAG_FILE_HEADER_BYTES];
	if (!s->is_open)
		return 0;
	snag_file_header_pack(header, s->expects_splits, false);
	return snag_output_rewrite(s->out, header, sizeof(header), err);
}

static int block_write(struct binary_sink *s, const struct snag_block_header *h,
		       const void *payload, struct snag_error *err)
{
	uint8_t header[SNAG_BLOCK_HEADER_BYTES];
	int rc = header_write(s, err);
	if (rc < 0)
		return rc;
	snag_block_header_pack(header, h);
	rc = snag_output_write(s->out, header, sizeof(header), err);
	if (rc == 0 && h->stored > 0)
		rc = snag_output_write(s->out, payload, h->stored, err);
	return rc < 0 ? rc : snag_output_settle(s->out, err);
}

/* Whether there is no room for a name of `len` bytes in this block. */
static bool names_are_full(const struct binary_sink *s, size_t len)
{
	size_t n = len, full = len;
	for (int space = 0; space < SNAG_SPACES; space++) {
		n += s->words[space].column.n;
		full += s->words[space].full;
	}
	return n > NAMES_BYTES || full > NAMES_FULL;
}

static int flush(struct binary_sink *s, struct snag_error *err)
{
	s->names_column.n = 0;
	for (enum snag_space space = 0; space < SNAG_SPACES; space++)
		snag_words_take(&s->words[space], space, &s->names_column);
	if (s->n == 0 && s->names_column.n == 0)
		return 0;
	const struct snag_payload *payload =
		snag_encoder_block(s->encoder, s->ev, s->n, s->run, s->nruns, &s->names_column);
	const struct snag_block_header h = {
		.type = SNAG_BLOCK_DATA,
		.events = s->total,
		.first = s->written,
		.stored = (uint32_t)payload->bytes.n,
		.plain = payload->plain,
		.hash = snag_format_hash(payload->bytes.at, payload->bytes.n),
	};
	s->written += s->total;
	s->n = s->nruns = s->total = 0;
	return block_write(s, &h, payload->bytes.at, err);
}

/* Puts a name into the NAMES column. */
static int take_name(struct binary_sink *s, const struct snag_strtab *names, enum snag_space space,
		     uint32_t id, struct snag_error *err)
{
	size_t len = snag_strtab_len(names, id);
	if (len > SNAG_NAME_MAX_BYTES)
		return snag_fail(err, SNAG_EINPUT, "%s: too long a name of %s for a .snag file",
				 snag_output_name(s->out), snag_space_plural[space]);
	if (names_are_full(s, len)) {
		int rc = flush(s, err);
		if (rc < 0)
			return rc;
	}
	const char *name = snag_strtab_get(names, id);
	bool may_count = s->counted < snag_format_counted_max(s->written);
	if (names->has_places)
		snag_words_put_base(&s->words[space], space, name, len);
	else
		s->counted += snag_words_put(&s->words[space], space, name, len, may_count);
	return 0;
}

/* Puts the places that the names of a space from `id` on begin with; returns how many. */
static uint32_t take_places(struct binary_sink *s, const struct snag_strtab *names,
			    enum snag_space space, uint32_t id, uint32_t end)
{
	if (!names->has_places)
		return 0;
	end = end - id < NAMES_GROUP ? end : id + NAMES_GROUP;
	return snag_words_put_places(&s->words[space], space, names, id, end);
}

/* Puts the names of a space up to (not including) `end` into the NAMES column. */
static int take_names(struct binary_sink *s, const struct snag_names *all, enum snag_space space,
		      uint32_t end, struct snag_error *err)
{
	const struct snag_strtab *names = &all->space[space];
	int rc = 0;
	assert(end <= names->n);
	if (end > SNAG_SPACE_MAX_NAMES)
		return snag_fail(err, SNAG_EINPUT, "%s: too many names of %s for a .snag file",
				 snag_output_name(s->out), snag_space_plural[space]);
	while (s->named[space] < end && rc == 0) {
		uint32_t places = take_places(s, names, space, s->named[space], end);
		s->named[space] += places;
		if (places && names_are_full(s, 0))
			rc = flush(s, err);
		if (!places && (rc = take_name(s, names, space, s->named[space], err)) == 0)
			s->named[space]++;
	}
	return rc;
}

_Static_assert(SNAG_OP_READ == 0 && SNAG_OP_WRITE == 1, "the first bit says which access it is");

static inline void end_raise(uint32_t *end, uint32_t id)
{
	if (__builtin_expect(id >= *end, 0))
		*end = id + 1;
}

/* The ends of the ids that events use, of which there are some, by name space; those that end[] has
 * remain unless there are larger ones.  Mostly there are none, so nothing is stored. */
static void ends_find(const struct snag_event *ev, size_t n, uint32_t end[SNAG_SPACES + 1])
{
	enum { THREAD, TARGET, LOC };
	typedef uint32_t lanes __attribute__((vector_size(sizeof(struct snag_event))));
	lanes most = {0};
	unsigned ops = 0;
	for (size_t i = 0; i < n; i++) {
		lanes e;
		memcpy(&e, &ev[i], sizeof(e));
		const lanes is_more = (lanes)(e > most);
		most = (e & is_more) | (most & ~is_more);
		ops |= ev[i].op;
	}
	end_raise(&end[SNAG_SPACE_THREAD], most[THREAD]);
	end_raise(&end[SNAG_SPACE_LOCATION], most[LOC]);
	if (ops <= SNAG_OP_WRITE) { /* mostly all are accesses */
		end_raise(&end[SNAG_SPACE_VARIABLE], most[TARGET]);
		return;
	}
	for (size_t i = 0; i < n; i++)
		end_raise(&end[snag_op_info[ev[i].op].space], ev[i].target);
}

static int take_events(struct binary_sink *s, const struct snag_event *ev, size_t n,
		       const struct snag_names *names, struct snag_error *err)
{
	uint32_t end[SNAG_SPACES + 1];
	memcpy(end, s->named, sizeof(s->named));
	end[SNAG_SPACE_NONE] = 1; /* their target is 0 */
	ends_find(ev, n, end);
	assert(end[SNAG_SPACE_NONE] <= 1);
	for (enum snag_space space = 0; space < SNAG_SPACES; space++) {
		int rc = take_names(s, names, space, end[space], err);
		if (rc < 0)
			return rc;
	}
	memcpy(s->ev + s->n, ev, n * sizeof(*ev));
	s->n += n;
	s->total += (uint32_t)n;
	return s->n == BLOCK_EVENTS || s->total >= BLOCK_TOTAL ? flush(s, err) : 0;
}

/* Events up to the end of the block or of the batch. */
static int take_some(struct binary_sink *s, const struct snag_event *ev, size_t n,
		     const struct snag_names *names, struct snag_error *err)
{
	for (size_t at = 0, some; at < n; at += some) {
		some = n - at < BLOCK_EVENTS - s->n ? n - at : BLOCK_EVENTS - s->n;
		int rc = take_events(s, ev + at, some, names, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The names of a run of n events that begins. */
static int take_run_names(struct binary_sink *s, const struct snag_steps *steps, uint32_t n,
			  const struct snag_names *names, struct snag_error *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < steps->period && i < n && rc == 0; i++) {
		uint32_t first = steps->next[i].target, rounds = (n - i - 1) / steps->period;
		uint32_t last = first + steps->stride[i] * rounds;
		enum snag_space space = snag_op_info[steps->next[i].op].space;
		if (space != SNAG_SPACE_NONE)
			rc = take_names(s, names, space, (first > last ? first : last) + 1, err);
	}
	return rc;
}

/* A run, or the next part of it: in this block only events that follow from its own. */
static int take_run(struct binary_sink *s, const struct snag_repeat *run,
		    const struct snag_names *names, struct snag_error *err)
{
	struct snag_steps steps;
	bool is_run = snag_steps_begin(&steps, &s->tail, run->period);
	assert(is_run);
	int rc = take_run_names(s, &steps, run->n, names, err);
	for (uint32_t left = run->n, some; left > 0 && rc == 0; left -= some) {
		struct snag_repeat *last = s->nruns ? &s->run[s->nruns - 1] : NULL;
		if (s->total < 2 * run->period) {
			struct snag_event ev = snag_steps_next(&steps);
			snag_tail_add(&s->tail, &ev, 1);
			rc = take_events(s, &ev, 1, names, err);
			some = 1;
			continue;
		}
		some = left < BLOCK_TOTAL - s->total ? left : BLOCK_TOTAL - s->total;
		if (!last || last->at != s->n || last->period != run->period) {
			s->run = snag_grow(s->run, &s->run_cap, s->nruns + 1, sizeof(*s->run));
			last = &s->run[s->nruns++];
			*last = (struct snag_repeat){.at = (uint32_t)s->n, .period = run->period};
		}
		last->n += some;
		s->total += some;
		snag_tail_run(&s->tail, &steps, some);
		if (s->total >= BLOCK_TOTAL)
			rc = flush(s, err);
	}
	return rc;
}

static int sink_write(struct snag_sink *sink, const struct snag_batch *batch,
		      const struct snag_names *names, struct snag_error *err)
{
	struct binary_sink *s = (struct binary_sink *)sink;
	uint64_t total = s->written + s->total + batch->n;
	for (size_t i = 0; i < batch->nruns; i++)
		total += batch->run[i].n;
	if (total >= SNAG_MAX_EVENTS)
		return snag_fail(err, SNAG_EINPUT, "%s: too many events for a trace",
				 snag_output_name(s->out));
	size_t at = 0;
	for (size_t i = 0; i <= batch->nruns; i++) {
		size_t end = i < batch->nruns ? batch->run[i].at : batch->n;
		int rc = take_some(s, batch->ev + at, end - at, names, err);
		snag_tail_add(&s->tail, batch->ev + at, end - at);
		at = end;
		if (rc == 0 && i < batch->nruns)
			rc = take_run(s, &batch->run[i], names, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int splits_write(struct binary_sink *s, const struct snag_split *split, size_t n,
			struct snag_error *err)
{
	struct snag_column_writer writer;
	struct snag_payload payload = {.plain = 0};
	snag_column_writer_init(&writer);
	writer.to = &payload;
	snag_splits_pack(&writer.table, split, n);
	snag_column_put(&writer, SNAG_COLUMN_SPLITS, writer.table.at, writer.table.n);
	const struct snag_block_header h = {
		.type = SNAG_BLOCK_SPLITS,
		.first = s->written,
		.stored = (uint32_t)payload.bytes.n,
		.plain = payload.plain,
		.hash = snag_format_hash(payload.bytes.at, payload.bytes.n),
	};
	int rc = block_write(s, &h, payload.bytes.at, err);
	snag_column_writer_done(&writer);
	snag_bytes_done(&payload.bytes);
	return rc;
}

static void sink_expect_splits(struct snag_sink *sink)
{
	((struct binary_sink *)sink)->expects_splits = true;
}

/* A variable that was split off need not have an event of its own, and so no name yet. */
static int sink_put_splits(struct snag_sink *sink, const struct snag_split *split, size_t n,
			   const struct snag_names *names, struct snag_error *err)
{
	struct binary_sink *s = (struct binary_sink *)sink;
	assert(s->expects_splits && n <= SNAG_SPACE_MAX_NAMES);
	int rc = take_names(s, names, SNAG_SPACE_VARIABLE, split[n - 1].variable + 1, err);
	if (rc == 0)
		rc = flush(s, err);
	for (size_t at = 0, some; at < n && rc == 0; at += some) {
		some = n - at < SNAG_BLOCK_MAX_SPLITS ? n - at : SNAG_BLOCK_MAX_SPLITS;
		rc = splits_write(s, split + at, some, err);
	}
	s->nsplits = (uint32_t)n;
	return rc;
}

static void sink_free(struct binary_sink *s)
{
	snag_encoder_free(s->encoder);
	for (int space = 0; space < SNAG_SPACES; space++)
		snag_words_done(&s->words[space]);
	snag_bytes_done(&s->names_column);
	free(s->ev);
	free(s->run);
	free(s);
}

static void sink_abort(struct snag_sink *sink)
{
	struct binary_sink *s = (struct binary_sink *)sink;
	snag_output_abort(s->out);
	sink_free(s);
}

static int sink_commit(struct snag_sink *sink, struct snag_error *err)
{
	struct binary_sink *s = (struct binary_sink *)sink;
	int rc = flush(s, err);
	if (rc == 0) {
		struct snag_block_header end = {
			.type = SNAG_BLOCK_END, .first = s->written, .events = s->nsplits};
		end.hash = snag_format_hash(NULL, 0);
		rc = block_write(s, &end, NULL, err);
	}
	if (rc == 0)
		rc = header_close(s, err);
	if (rc < 0) {
		sink_abort(sink);
		return rc;
	}
	rc = snag_output_commit(s->out, err);
	sink_free(s);
	return rc;
}

static void sink_keep(struct snag_sink *sink)
{
	snag_output_keep(((struct binary_sink *)sink)->out);
}

static uint64_t sink_written(const struct snag_sink *sink)
{
	return snag_output_written(((const struct binary_sink *)sink)->out);
}

static const struct snag_sink_ops binary_sink_ops = {.write = sink_write,
						     .commit = sink_commit,
						     .abort = sink_abort,
						     .keep = sink_keep,
						     .written = sink_written,
						     .takes_runs = true,
						     .expect_splits = sink_expect_splits,
						     .put_splits = sink_put_splits};

struct snag_sink *snag_binary_sink(struct snag_output *out)
{
	struct binary_sink *s = snag_calloc(1, sizeof(*s));
	s->base.ops = &binary_sink_ops;
	s->out = out;
	s->encoder = snag_encoder_new();
	s->ev = snag_calloc(BLOCK_EVENTS, sizeof(*s->ev));
	return &s->base;
}
