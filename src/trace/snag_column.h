/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_column.h - byte strings and the columns of a .snag block's payload
 *
 * A column is a run of bytes of one meaning.  Each is compressed by itself, so
 * that every one gets an entropy code made for it, and stored plainly where
 * compression gains little.
 */
#ifndef SNAG_TRACE_SNAG_COLUMN_H
#define SNAG_TRACE_SNAG_COLUMN_H

#include "trace/format.h"

#include <zstd.h>

struct snag_bytes { /* grows at its end */
	uint8_t *at;
	size_t n, cap;
};

struct snag_span { /* bytes being read */
	const uint8_t *at, *end;
};

/* Room for `n` more bytes behind b->n, which the caller advances. */
uint8_t *snag_bytes_room(struct snag_bytes *b, size_t n);
void snag_bytes_put(struct snag_bytes *b, const void *bytes, size_t n);
void snag_bytes_put_varint(struct snag_bytes *b, uint32_t v);
void snag_bytes_done(struct snag_bytes *b);

/* False: the bytes end too early, or the number has more than 32 bits. */
bool snag_span_byte(struct snag_span *s, uint8_t *ret_v);
bool snag_span_varint(struct snag_span *s, uint32_t *ret_v);

struct snag_column {
	uint8_t id;	  /* enum snag_column_id */
	uint8_t encoding; /* enum snag_column_encoding */
	uint32_t plain;	  /* its size, plain */
	uint32_t stored;  /* its size in the payload */
	const uint8_t *bytes;
};

ZSTD_CCtx *snag_column_compressor(void);
void snag_column_put(struct snag_bytes *payload, ZSTD_CCtx *zstd, enum snag_column_id id,
		     const void *plain, size_t n);
/* The next column of a payload; false: its header is not valid. */
bool snag_column_next(struct snag_span *payload, struct snag_column *ret_column);
/* Writes column->plain bytes; false: they cannot be had from the stored ones. */
bool snag_column_load(const struct snag_column *column, ZSTD_DCtx *zstd, uint8_t *to);

#endif
