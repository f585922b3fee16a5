/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_reader.c - reads a .snag file; docs/trace-format.md is the specification
 *
 * Idea.   Block by block: header, hash, columns, new names; then the events, one batch at a
 *         time, so that they are used while they are in the cache.
 * Rules.  A cut or damaged file is an error that names the offset of the block.
 *         [lenient]  The trace ends before that block and one item counts as skipped.  Reading
 *                    cannot continue after it, because names and the memory of the codec would be
 *                    missing.
 *         [killed]   The same without lenient, if a recording was cut: its recorder was killed.
 *         If the file has splits (split.h), the reader goes through its blocks once for these,
 *         then once more for the events, which are refined (refined.h).  The parts of an access
 *         may have names that come later in the file.  So unless the consumer forgets names, the
 *         reader reads them before the events.  A file that is not whole is read without its
 *         splits.
 * Guarantee.  Events of a block are delivered only if the hash of its bytes is right, and only
 *             with ids that have names.  The same holds for runs: their targets are checked
 *             without expanding them.
 */
#include "trace/formats.h"

#include "base/memory.h"
#include "trace/input.h"
#include "trace/refined.h"
#include "trace/snag/snag_block_names.h"
#include "trace/snag/snag_codec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct binary_source {
	struct snag_source base;
	struct snag_input *in;
	struct snag_decoder *decoder;
	struct snag_names names;
	struct snag_block_names of_block;
	struct snag_counts counts;
	uint64_t delivered;    /* events */
	uint32_t left;	       /* events of the block not yet delivered */
	uint64_t block_offset; /* where the block starts */
	bool is_lenient, has_ended, takes_runs;
	bool is_recording; /* that did not come to its end: the header says so */
	bool is_cut;	   /* reading failed because the stream ended before the end block */
	bool was_cut;	   /* likewise the first look at the blocks */
	bool is_scanned;   /* its blocks were looked at before the events are read */
	bool has_names;	   /* that look took in all names */
	bool is_whole;	   /* it saw the end; otherwise */
	uint64_t whole;	   /* this many blocks that are right */
	struct snag_splits_list splits;
	uint32_t nvariables;	 /* those of the splits are below */
	uint64_t blocks;	 /* so far */
	struct snag_repeat *run; /* if it takes_runs */
	struct snag_event ev[SNAG_BATCH_EVENTS];
};

/* Fails with where and what; "cut short" or "damaged block". */
static int bad_block(const struct binary_source *s, const char *state, const char *why,
		     struct snag_error *err)
{
	char after[48] = "before the first event";
	if (s->delivered)
		snprintf(after, sizeof(after), "after event %" PRIu64, s->delivered - 1);
	return snag_fail(
		err, SNAG_EINPUT,
		"%s: offset %" PRIu64 ": %s %s%s%s (use --lenient to analyse what is whole)",
		s->base.name, s->block_offset, state, after, why ? ": " : "", why ? why : "");
}

static int damaged(const struct binary_source *s, const char *why, struct snag_error *err)
{
	return bad_block(s, "damaged block", why, err);
}

/* Makes exactly n bytes available; a stream that ends before is cut short. */
static int need_bytes(struct binary_source *s, size_t n, struct snag_error *err)
{
	ssize_t have = snag_input_fill(s->in, n, err);
	if (have < 0)
		return (int)have;
	if ((size_t)have >= n)
		return 0;
	s->block_offset = s->in->end_offset;
	s->is_cut = true;
	return bad_block(s, "cut short", NULL, err);
}

/* [killed] [lenient] Whether the trace ends where reading failed. */
static bool may_end(const struct binary_source *s, int rc)
{
	return rc == SNAG_EINPUT && (s->is_lenient || (s->is_recording && s->is_cut));
}

/* 0: the trace is complete. */
static int read_end(struct binary_source *s, const struct snag_block_header *h,
		    struct snag_error *err)
{
	if (h->events != s->splits.n || h->stored || h->plain || h->first != s->delivered ||
	    h->hash != snag_format_hash(NULL, 0))
		return damaged(s, "the end does not match what came before it", err);
	ssize_t have = snag_input_fill(s->in, 1, err);
	if (have < 0)
		return (int)have;
	s->block_offset = snag_input_offset(s->in);
	if (have > 0)
		return damaged(s, "bytes behind the end of the trace", err);
	return 0;
}

/* Reads the payload of a block: its columns and, in the first pass, its names. */
static int read_payload(struct binary_source *s, const struct snag_block_header *h,
			struct snag_error *err)
{
	if (h->first != s->delivered || h->first + h->events >= SNAG_MAX_EVENTS)
		return damaged(s, "events are missing before it", err);
	if (h->stored > SNAG_BLOCK_MAX_BYTES)
		return damaged(s, "block too large", err);
	int rc = need_bytes(s, h->stored, err);
	if (rc < 0)
		return rc;
	struct snag_span payload = {s->in->at, s->in->at + h->stored}, names;
	if (snag_format_hash(payload.at, h->stored) != h->hash)
		return damaged(s, "its hash is wrong", err);
	const char *why = snag_decoder_scan(s->decoder, payload, h->plain, &names);
	if (!why && !s->has_names)
		why = snag_block_names_intern(&s->of_block, names, s->delivered);
	s->counts = snag_names_counts(&s->names);
	return why ? damaged(s, why, err) : 0;
}

static int read_data(struct binary_source *s, const struct snag_block_header *h,
		     struct snag_error *err)
{
	int rc = read_payload(s, h, err);
	if (rc < 0)
		return rc;
	const char *why = snag_decoder_begin(s->decoder, &s->counts, h->events);
	if (why)
		return damaged(s, why, err);
	s->in->at += h->stored;
	s->left = h->events;
	return 1;
}

/* 0: *ret_h is that of the next block, whose payload comes next. */
static int read_header(struct binary_source *s, struct snag_block_header *ret_h,
		       struct snag_error *err)
{
	int rc = need_bytes(s, SNAG_BLOCK_HEADER_BYTES, err);
	if (rc < 0)
		return rc;
	s->block_offset = snag_input_offset(s->in);
	if (!snag_block_header_unpack(s->in->at, ret_h))
		return damaged(s, "no valid block header", err);
	s->in->at += SNAG_BLOCK_HEADER_BYTES;
	s->blocks++;
	return 0;
}

/* 1: another block was read; 0: the trace is complete; negative: an error. */
static int read_block(struct binary_source *s, struct snag_error *err)
{
	struct snag_block_header h;
	int rc = read_header(s, &h, err);
	if (rc < 0)
		return rc;
	s->is_cut = s->was_cut && s->blocks > s->whole;
	if (s->is_scanned && !s->is_whole && s->blocks > s->whole)
		return damaged(s, "it was so at the first look", err);
	snag_block_names_forget(&s->of_block);
	if (h.type == SNAG_BLOCK_DATA)
		return read_data(s, &h, err);
	if (h.type == SNAG_BLOCK_END && s->nvariables > s->counts.n[SNAG_SPACE_VARIABLE])
		return damaged(s, "splits that cannot be", err);
	if (h.type == SNAG_BLOCK_END)
		return read_end(s, &h, err);
	if (h.type == SNAG_BLOCK_SPLITS && s->is_whole && h.stored <= SNAG_BLOCK_MAX_BYTES) {
		rc = need_bytes(s, h.stored, err); /* they are known */
		s->in->at += rc < 0 ? 0 : h.stored;
		return rc < 0 ? rc : 1;
	}
	return damaged(s, "unknown kind of block", err);
}

/* The first pass over a block, which reads splits, and names if `takes_names`; returns as
 * read_block(). */
static int scan_block(struct binary_source *s, bool takes_names, struct snag_error *err)
{
	struct snag_block_header h;
	const char *why = NULL;
	int rc = read_header(s, &h, err);
	if (rc < 0)
		return rc;
	if (h.type == SNAG_BLOCK_END) {
		uint32_t variables =
			takes_names ? s->counts.n[SNAG_SPACE_VARIABLE] : SNAG_SPACE_MAX_NAMES;
		if (!snag_splits_check(&s->splits, variables, s->delivered))
			return damaged(s, "splits that cannot be", err);
		return read_end(s, &h, err);
	}
	if (h.type != SNAG_BLOCK_DATA && h.type != SNAG_BLOCK_SPLITS)
		return damaged(s, "unknown kind of block", err);
	if (h.type == SNAG_BLOCK_DATA && !takes_names && h.stored <= SNAG_BLOCK_MAX_BYTES)
		rc = need_bytes(s, h.stored, err);
	else
		rc = read_payload(s, &h, err);
	if (rc < 0)
		return rc;
	if (h.type == SNAG_BLOCK_SPLITS)
		why = h.events ? "events among splits"
			       : snag_decoder_splits(s->decoder, &s->splits);
	else if (s->splits.n)
		why = "events behind splits";
	if (why)
		return damaged(s, why, err);
	s->in->at += h.stored;
	s->delivered += h.events;
	s->whole++;
	return 1;
}

/* Goes through all blocks for splits and, if `takes_names`, for names, then back to the first
 * one. */
static int blocks_scan(struct binary_source *s, bool takes_names, struct snag_error *err)
{
	int rc = 1;
	s->splits.n = s->whole = 0;
	while (rc > 0)
		rc = scan_block(s, takes_names, err);
	s->is_whole = rc == 0;
	s->is_scanned = true;
	s->has_names = takes_names;
	if (may_end(s, rc)) {
		s->splits.n = 0;
		rc = 0;
	}
	s->was_cut = s->is_cut;
	s->is_cut = false;
	snag_decoder_free(s->decoder);
	s->decoder = snag_decoder_new();
	s->delivered = s->blocks = 0;
	if (rc == 0)
		rc = snag_input_rewind(s->in, err);
	if (rc == 0)
		rc = need_bytes(s, SNAG_FILE_HEADER_BYTES, err);
	if (rc == 0)
		s->in->at += SNAG_FILE_HEADER_BYTES;
	return rc;
}

static int read_batch(struct binary_source *s, struct snag_batch *ret_batch, struct snag_error *err)
{
	int rc = 1;
	while (s->left == 0 && rc > 0)
		rc = read_block(s, err);
	if (rc <= 0)
		return rc;
	struct snag_decoder_part part = {.ev = s->ev, .run = s->run};
	const char *why;
	if (s->takes_runs) {
		why = snag_decoder_part(s->decoder, SNAG_BATCH_EVENTS, s->left, &part);
	} else {
		part.total = part.n = s->left < SNAG_BATCH_EVENTS ? s->left : SNAG_BATCH_EVENTS;
		why = snag_decoder_events(s->decoder, s->ev, part.n);
	}
	if (why)
		return damaged(s, why, err);
	*ret_batch = (struct snag_batch){.ev = s->ev,
					 .n = part.n,
					 .first = s->delivered,
					 .counts = s->counts,
					 .run = s->run,
					 .nruns = part.nruns};
	s->left -= (uint32_t)part.total;
	s->delivered += part.total;
	return 1;
}

static int source_next(struct snag_source *src, struct snag_batch *ret_batch,
		       struct snag_error *err)
{
	struct binary_source *s = (struct binary_source *)src;
	if (s->has_ended)
		return 0;
	int rc = 0;
	if (s->splits.n && !s->has_names && !s->of_block.forgets_variables)
		rc = blocks_scan(s, true, err);
	if (rc == 0)
		rc = read_batch(s, ret_batch, err);
	if (rc > 0)
		return rc;
	s->has_ended = true;
	if (may_end(s, rc)) {
		s->base.skipped++;
		rc = 0;
	}
	return rc;
}

static double source_progress(const struct snag_source *src)
{
	return snag_input_progress(((const struct binary_source *)src)->in);
}

static void source_close(struct snag_source *src)
{
	struct binary_source *s = (struct binary_source *)src;
	snag_input_close(s->in);
	snag_decoder_free(s->decoder);
	snag_block_names_done(&s->of_block);
	snag_splits_list_done(&s->splits);
	free(s->run);
	snag_names_done(&s->names);
	free(s);
}

static int source_again(const struct snag_source *src, struct snag_source **ret_src,
			struct snag_error *err)
{
	const struct binary_source *s = (const struct binary_source *)src;
	const struct snag_source_options options = {.lenient = s->is_lenient};
	struct snag_input *in;
	int rc = snag_input_again(s->in, &in, err);
	if (rc <= 0)
		return rc;
	rc = snag_binary_source(in, &options, ret_src, err);
	return rc < 0 ? rc : 1;
}

static bool source_take_runs(struct snag_source *src)
{
	struct binary_source *s = (struct binary_source *)src;
	if (!s->run)
		s->run = snag_calloc(SNAG_PART_RUNS, sizeof(*s->run));
	return s->takes_runs = true;
}

static void source_forget_variables(struct snag_source *src)
{
	((struct binary_source *)src)->of_block.forgets_variables = true;
}

static const struct snag_source_ops binary_source_ops = {.next = source_next,
							 .progress = source_progress,
							 .close = source_close,
							 .again = source_again,
							 .take_runs = source_take_runs,
							 .forget_variables =
								 source_forget_variables};

/* Returns whether the file may have splits. */
static bool may_have_splits(const struct snag_input *in, uint32_t needed)
{
	uint8_t tail[SNAG_BLOCK_HEADER_BYTES];
	struct snag_block_header h;
	return needed & SNAG_FORMAT_SPLITS &&
	       !(snag_input_tail(in, tail, sizeof(tail)) && snag_block_header_unpack(tail, &h) &&
		 h.type == SNAG_BLOCK_END && h.events == 0);
}

static int read_file_header(struct snag_input *in, uint32_t *ret_needed, struct snag_error *err)
{
	ssize_t have = snag_input_fill(in, SNAG_FILE_HEADER_BYTES, err);
	if (have < 0)
		return (int)have;
	const uint8_t *h = in->at;
	if (have < SNAG_MAGIC_BYTES || memcmp(h, SNAG_FORMAT_MAGIC, SNAG_MAGIC_BYTES) != 0)
		return snag_fail(err, SNAG_EINPUT, "%s: offset 0: not a .snag trace", in->name);
	if (have < SNAG_FILE_HEADER_BYTES)
		return snag_fail(err, SNAG_EINPUT, "%s: offset %zd: cut short in the file header",
				 in->name, have);
	unsigned version = h[8] | (unsigned)h[9] << 8;
	if (version != SNAG_FORMAT_VERSION)
		return snag_fail(
			err, SNAG_EINPUT,
			"%s: offset 8: .snag version %u, but this program reads version %d",
			in->name, version, SNAG_FORMAT_VERSION);
	if (snag_load64(h + 24) != snag_format_hash(h, 24))
		return snag_fail(err, SNAG_EINPUT, "%s: offset 24: damaged file header", in->name);
	*ret_needed = snag_load32(h + 12);
	uint32_t unknown = *ret_needed & ~(uint32_t)SNAG_FORMAT_NEEDED;
	if (unknown)
		return snag_fail(
			err, SNAG_EINPUT,
			"%s: offset 12: needs features this program does not know (0x%" PRIx32 ")",
			in->name, unknown);
	return 0;
}

int snag_binary_source(struct snag_input *in, const struct snag_source_options *options,
		       struct snag_source **ret_src, struct snag_error *err)
{
	uint32_t needed;
	int rc = read_file_header(in, &needed, err);
	bool is_split = rc == 0 && may_have_splits(in, needed);
	if (is_split && (rc = snag_input_keep(in, err)) == 0)
		rc = snag_input_rewind(in, err);
	if (rc == 0 && is_split)
		rc = read_file_header(in, &needed, err);
	if (rc < 0) {
		snag_input_close(in);
		return rc;
	}
	const bool is_recording = snag_load32(in->at + 16) & SNAG_FORMAT_OPEN;
	in->at += SNAG_FILE_HEADER_BYTES;
	struct binary_source *s = snag_calloc(1, sizeof(*s));
	s->base.ops = &binary_source_ops;
	s->base.name = in->name;
	s->base.names = &s->names;
	s->in = in;
	s->is_lenient = options && options->lenient;
	s->is_recording = is_recording;
	s->decoder = snag_decoder_new();
	snag_names_init(&s->names);
	snag_block_names_init(&s->of_block, &s->names);
	if (is_split && (rc = blocks_scan(s, false, err)) < 0) {
		source_close(&s->base);
		return rc;
	}
	*ret_src = &s->base;
	if (s->splits.n) {
		struct snag_splits_list list = {.n = s->splits.n};
		list.at = snag_realloc(NULL, list.n, sizeof(*list.at));
		memcpy(list.at, s->splits.at, list.n * sizeof(*list.at));
		s->nvariables = list.at[list.n - 1].variable + 1;
		*ret_src = snag_refined_source(&s->base, &list);
	}
	return 0;
}

const struct snag_trace_format snag_format_snag = {.name = "snag",
						   .magic = SNAG_FORMAT_MAGIC,
						   .nmagic = SNAG_MAGIC_BYTES,
						   .source = snag_binary_source,
						   .sink = snag_binary_sink};
