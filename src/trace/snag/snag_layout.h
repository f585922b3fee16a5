/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_layout.h - the two layouts of events in a .snag block, encoder and decoder each
 *
 * Encoders write the columns of n > 0 events through `w`.  Decoders begin with the columns of a
 * block, and then deliver its events batch by batch.
 *
 * Rules of both decoders.  The loop over events does not branch on their values, which are
 * practically random.  Its indices cannot leave the arrays: the tables have an entry for every
 * number that a column can hold.  Entries beyond the block's own have limit 0, so that no target
 * is below it.
 */
#ifndef SNAG_TRACE_SNAG_LAYOUT_H
#define SNAG_TRACE_SNAG_LAYOUT_H

#include "trace/names.h"
#include "trace/snag/snag_column.h"

#include <endian.h>
#include <string.h>

/* What a site says about all its events, in either layout. */
struct snag_layout_site {
	uint8_t what[4]; /* op, flags, size, part: the end of an event */
	uint32_t limit;	 /* targets are below */
	enum snag_space space;
	uint8_t mode; /* means what the layout says */
};

void snag_layout_site_put(struct snag_bytes *table, uint64_t key, uint8_t mode);
bool snag_layout_site_read(struct snag_span *table, const struct snag_counts *counts,
			   struct snag_layout_site *ret_site);

/* A site as a number: | 56 | 48 size | 40 flags | 32 op | 0 32 bits for the layout */
static inline uint64_t snag_site_key(const struct snag_event *ev, uint32_t rest)
{
	return (uint64_t)ev->size << 48 | (uint64_t)ev->flags << 40 | (uint64_t)ev->op << 32 | rest;
}

/* The same with its location: the second half of an event, as it lies in memory, but for the part
 * byte. */
static inline uint64_t snag_site_key_loc(const struct snag_event *ev)
{
	uint64_t half;
	memcpy(&half, &ev->loc, sizeof(half));
	return le64toh(half) & 0x00ffffffffffffffu;
}

struct snag_flat_encoder;
struct snag_flat_encoder *snag_flat_encoder_new(void);
void snag_flat_encoder_free(struct snag_flat_encoder *enc);
void snag_flat_encode(struct snag_flat_encoder *enc, struct snag_column_writer *w, uint64_t *memory,
		      const struct snag_event *ev, size_t n);

struct snag_flat_decoder;
struct snag_flat_decoder *snag_flat_decoder_new(void);
void snag_flat_decoder_free(struct snag_flat_decoder *dec);
/* Loads the columns of n events, then reads the SITES table after its layout byte.  Returns
 * NULL, or what is wrong. */
const char *snag_flat_begin(struct snag_flat_decoder *dec, struct snag_column_reader *r,
			    struct snag_span sites, const struct snag_counts *counts, size_t n);
const char *snag_flat_events(struct snag_flat_decoder *dec, uint64_t *memory, struct snag_event *ev,
			     size_t n);

struct snag_threads_encoder;
struct snag_threads_encoder *snag_threads_encoder_new(void);
void snag_threads_encoder_free(struct snag_threads_encoder *enc);
void snag_threads_encode(struct snag_threads_encoder *enc, struct snag_column_writer *w,
			 enum snag_layout layout, const struct snag_event *ev, size_t n);

struct snag_threads_decoder;
struct snag_threads_decoder *snag_threads_decoder_new(void);
void snag_threads_decoder_free(struct snag_threads_decoder *dec);
const char *snag_threads_begin(struct snag_threads_decoder *dec, struct snag_column_reader *r,
			       struct snag_span threads, struct snag_span sites,
			       const struct snag_counts *counts, size_t n);
const char *snag_threads_events(struct snag_threads_decoder *dec, struct snag_event *ev, size_t n);

#endif
