/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_column.h - the columns of a .snag block's payload
 *
 * A column is a run of bytes of one meaning.  Each is compressed by itself, so
 * that every one gets an entropy code made for it, and stored plainly where
 * compression gains little.  Numbers are cut into byte planes: plane k of a column
 * of numbers holds bits 8k to 8k+7 of each; planes above the highest in use, and
 * all planes of a column of zeros, are absent.
 */
#ifndef SNAG_TRACE_SNAG_COLUMN_H
#define SNAG_TRACE_SNAG_COLUMN_H

#include "trace/format.h"
#include "trace/snag/snag_bytes.h"

#include <zstd.h>

enum {
	SNAG_COLUMN_GROUP = 32, /* planes are put together in such groups */
	SNAG_COLUMN_ROOM = SNAG_BLOCK_MAX_EVENTS + 1,
	SNAG_PLANES = 4,
};

_Static_assert((int)SNAG_COLUMN_ROOM % (int)SNAG_COLUMN_GROUP == 0, "columns are whole groups");

/* Writing. */
struct snag_payload {
	struct snag_bytes bytes;
	uint32_t plain; /* sum of the plain sizes of its columns */
};

struct snag_column_writer {
	ZSTD_CCtx *zstd;
	uint8_t *plane;		 /* being written */
	struct snag_payload *to; /* borrowed */
	struct snag_bytes table; /* a table being written, for the callers */
};

void snag_column_writer_init(struct snag_column_writer *w);
void snag_column_writer_done(struct snag_column_writer *w);
void snag_column_put(struct snag_column_writer *w, enum snag_column_id id, const void *plain,
		     size_t n);
/* n numbers; `v` has room up to a full group. */
void snag_column_put_planes(struct snag_column_writer *w, enum snag_column_id id, const uint32_t *v,
			    size_t n, unsigned planes);
unsigned snag_column_planes(uint32_t max); /* how many a column up to max needs */

/* Reading. */
struct snag_column {
	uint8_t id;	      /* enum snag_column_id */
	uint8_t encoding;     /* enum snag_column_encoding */
	uint32_t plain;	      /* its size, plain */
	uint32_t stored;      /* its size in the payload */
	const uint8_t *bytes; /* NULL: absent */
};

struct snag_column_reader {
	ZSTD_DCtx *zstd;
	uint8_t *plane[SNAG_PLANES];
	struct snag_column column[SNAG_COLUMNS]; /* of the payload being read */
};

void snag_column_reader_init(struct snag_column_reader *r);
void snag_column_reader_done(struct snag_column_reader *r);
/* Finds the columns of a payload.  Returns false if their headers are not valid, or if their
 * plain sizes do not add up to `plain`. */
bool snag_column_reader_scan(struct snag_column_reader *r, struct snag_span payload,
			     uint32_t plain);
/* Each returns false if the bytes are not those of such a column. */
bool snag_column_load(struct snag_column_reader *r, enum snag_column_id id, struct snag_bytes *to);
/* n numbers of up to two, or up to four planes; `to` has room up to a full group. */
bool snag_column_load16(struct snag_column_reader *r, enum snag_column_id id, uint16_t *to,
			size_t n);
bool snag_column_load32(struct snag_column_reader *r, enum snag_column_id id, uint32_t *to,
			size_t n, unsigned *ret_planes);

#endif
