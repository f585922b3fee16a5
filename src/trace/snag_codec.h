/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_codec.h - one block of a .snag file: events to payload and back, in memory
 *
 * Idea.   Events are cut into columns that compress well each by itself:
 *         - which thread goes on (0: the same as before);
 *         - for each event its site: a number in the block's table of
 *           (operation, flags, size, how to tell the location);
 *         - for each event its target, or what it differs by from an earlier one.
 *         Site and target columns hold the events thread by thread, so that what
 *         a thread does repeatedly is a repetition in the column too, whatever
 *         the other threads do between.
 *         A location belongs to the site (code that walks through data), or is
 *         the one that this operation on this target had last time (data that is
 *         used at one place), or is spelled out.  The encoder tries both for a
 *         block and keeps the smaller result.
 * State.  Besides the names, one table lives from block to block: the last
 *         location of each (operation, target).  A block can therefore be decoded
 *         only after all blocks before it.
 * Guarantee.  decode(encode(events)) = events.  The decoder accepts any bytes: it
 *         delivers only events whose ids are below the counts it was given, whose
 *         flags are valid and whose target is 0 where the operation has none.
 * Cost.   Decoding is branch-free per event, for columns of up to 64 K events
 *         that stay in the cache.
 */
#ifndef SNAG_TRACE_SNAG_CODEC_H
#define SNAG_TRACE_SNAG_CODEC_H

#include "trace/names.h"
#include "trace/snag_column.h"

struct snag_encoder;
struct snag_encoder *snag_encoder_new(void);
void snag_encoder_free(struct snag_encoder *enc); /* accepts NULL */
/* Encodes up to SNAG_BLOCK_MAX_EVENTS events, with the bytes of the NAMES column.
 * The payload belongs to the encoder and lives until the next call. */
const struct snag_bytes *snag_encoder_block(struct snag_encoder *enc, const struct snag_event *ev,
					    size_t n, const struct snag_bytes *names,
					    uint32_t *ret_plain);

struct snag_decoder;
struct snag_decoder *snag_decoder_new(void);
void snag_decoder_free(struct snag_decoder *dec); /* accepts NULL */
/* The three steps of one block.  Each returns NULL, or in words what is wrong with
 * the payload; after that the decoder can only be freed.
 * load: takes the payload apart.  The payload is no longer needed afterwards;
 * *ret_names is the NAMES column, which lives until the next load. */
const char *snag_decoder_load(struct snag_decoder *dec, struct snag_span payload, uint32_t events,
			      uint32_t plain, struct snag_span *ret_names);
/* begin: `counts` are the names known, those of this block included. */
const char *snag_decoder_begin(struct snag_decoder *dec, const struct snag_counts *counts);
/* events: the next n events of the block; over all calls as many as it has. */
const char *snag_decoder_events(struct snag_decoder *dec, struct snag_event *ev, size_t n);

#endif
