/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_column.c - byte strings and the columns of a .snag block's payload
 */
#include "trace/snag_column.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* A column must shrink by 1/MIN_GAIN to be compressed: plain bytes are read
 * several times faster. */
enum { MIN_GAIN = 16, LEVEL = 1 };

uint8_t *snag_bytes_room(struct snag_bytes *b, size_t n)
{
	b->at = snag_grow(b->at, &b->cap, b->n + n, 1);
	return b->at + b->n;
}

void snag_bytes_put(struct snag_bytes *b, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	memcpy(snag_bytes_room(b, n), bytes, n);
	b->n += n;
}

void snag_bytes_put_varint(struct snag_bytes *b, uint32_t v)
{
	uint8_t *to = snag_bytes_room(b, 5);
	for (; v >= 0x80; v >>= 7, b->n++)
		*to++ = (uint8_t)(v | 0x80);
	*to = (uint8_t)v;
	b->n++;
}

void snag_bytes_done(struct snag_bytes *b)
{
	free(b->at);
	memset(b, 0, sizeof(*b));
}

bool snag_span_byte(struct snag_span *s, uint8_t *ret_v)
{
	if (s->at == s->end)
		return false;
	*ret_v = *s->at++;
	return true;
}

bool snag_span_varint(struct snag_span *s, uint32_t *ret_v)
{
	uint64_t v = 0;
	uint8_t byte;
	for (int shift = 0; shift < 35; shift += 7) {
		if (!snag_span_byte(s, &byte))
			return false;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (v > UINT32_MAX)
			return false;
		*ret_v = (uint32_t)v;
		return true;
	}
	return false;
}

ZSTD_CCtx *snag_column_compressor(void)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	if (!zstd)
		abort();
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
	return zstd;
}

void snag_column_put(struct snag_bytes *payload, ZSTD_CCtx *zstd, enum snag_column_id id,
		     const void *plain, size_t n)
{
	size_t bound = ZSTD_compressBound(n);
	uint8_t *header = snag_bytes_room(payload, SNAG_COLUMN_HEADER_BYTES + bound);
	uint8_t *to = header + SNAG_COLUMN_HEADER_BYTES;
	size_t stored = ZSTD_compress2(zstd, to, bound, plain, n);
	assert(!ZSTD_isError(stored));
	enum snag_column_encoding encoding = SNAG_ZSTD;
	if (stored + n / MIN_GAIN >= n) {
		encoding = SNAG_STORED;
		stored = n;
		if (n)
			memcpy(to, plain, n);
	}
	header[0] = (uint8_t)id;
	header[1] = encoding;
	header[2] = header[3] = 0;
	snag_store32(header + 4, (uint32_t)n);
	snag_store32(header + 8, (uint32_t)stored);
	payload->n += SNAG_COLUMN_HEADER_BYTES + stored;
}

bool snag_column_next(struct snag_span *payload, struct snag_column *ret_column)
{
	if (payload->end - payload->at < SNAG_COLUMN_HEADER_BYTES)
		return false;
	const uint8_t *header = payload->at;
	struct snag_column column = {
		.id = header[0],
		.encoding = header[1],
		.plain = snag_load32(header + 4),
		.stored = snag_load32(header + 8),
		.bytes = header + SNAG_COLUMN_HEADER_BYTES,
	};
	if (header[2] || header[3] || column.plain > SNAG_BLOCK_MAX_BYTES ||
	    column.stored > (size_t)(payload->end - column.bytes) || column.encoding > SNAG_ZSTD ||
	    (column.encoding == SNAG_STORED && column.stored != column.plain))
		return false;
	payload->at = column.bytes + column.stored;
	*ret_column = column;
	return true;
}

bool snag_column_load(const struct snag_column *column, ZSTD_DCtx *zstd, uint8_t *to)
{
	if (column->encoding == SNAG_ZSTD)
		return ZSTD_decompressDCtx(zstd, to, column->plain, column->bytes,
					   column->stored) == column->plain;
	if (column->plain)
		memcpy(to, column->bytes, column->plain);
	return true;
}
