/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_codec.h - one block of a .snag file: events to payload and back, in memory
 *
 * Idea.   Events are cut into columns that compress well each by itself, in one of
 *         two layouts: snag_flat.c and snag_threads.c.  The encoder tries both for
 *         the first blocks and for some later ones, and keeps to the one with the
 *         smaller result until the next try.
 * State.  Besides the names, one thing lives from block to block: the memory of
 *         locations (snag_memory.h).  A block can therefore be decoded only after
 *         all blocks before it.  Flat blocks change it, and so do blocks by threads
 *         that the encoder tried to lay out flat; they are marked.
 * Guarantee.  decode(encode(events)) = events.  The decoder accepts any bytes: it
 *         delivers only events whose ids are below the counts it was given, whose
 *         flags are valid and whose target is 0 where the operation has none.
 */
#ifndef SNAG_TRACE_SNAG_CODEC_H
#define SNAG_TRACE_SNAG_CODEC_H

#include "trace/names.h"
#include "trace/runs.h"
#include "trace/snag/snag_column.h"
#include "trace/snag/snag_splits.h"

struct snag_encoder;
struct snag_encoder *snag_encoder_new(void);
void snag_encoder_free(struct snag_encoder *enc); /* accepts NULL */
/* Encodes up to SNAG_BLOCK_MAX_EVENTS events, with the runs between them and the bytes of the
 * NAMES column.
 * The payload belongs to the encoder and lives until the next call. */
const struct snag_payload *snag_encoder_block(struct snag_encoder *enc, const struct snag_event *ev,
					      size_t n, const struct snag_repeat *run, size_t nruns,
					      const struct snag_bytes *names);

struct snag_decoder;
struct snag_decoder *snag_decoder_new(void);
void snag_decoder_free(struct snag_decoder *dec); /* accepts NULL */
/* The three steps for one block.  Each returns NULL, or a description of what is wrong with the
 * payload; after that the decoder can only be freed.  scan: *ret_names is the NAMES column,
 * which lives until the next scan. */
const char *snag_decoder_scan(struct snag_decoder *dec, struct snag_span payload, uint32_t plain,
			      struct snag_span *ret_names);
/* For a block of splits, instead of the next two steps: adds them to the list. */
const char *snag_decoder_splits(struct snag_decoder *dec, struct snag_splits_list *list);
/* begin: `counts` are the known names, including those of this block, and `n` is the number of
 * events.  The payload must still exist, but is not needed afterwards. */
const char *snag_decoder_begin(struct snag_decoder *dec, const struct snag_counts *counts,
			       uint32_t n);
/* events: the next n events of the block; all calls together ask for exactly its events. */
const char *snag_decoder_events(struct snag_decoder *dec, struct snag_event *ev, size_t n);
/* The same with runs, where they are plain (rule [run] of source.h).  Fills the part, whose
 * arrays have room for `most` events and SNAG_PART_RUNS runs.  `left` events of the block are
 * still to come. */
enum { SNAG_PART_RUNS = 1024 };
struct snag_decoder_part {
	struct snag_event *ev;
	struct snag_repeat *run;
	size_t n, nruns;
	uint64_t total; /* events, those of runs included */
};
const char *snag_decoder_part(struct snag_decoder *dec, size_t most, uint32_t left,
			      struct snag_decoder_part *part);

#endif
