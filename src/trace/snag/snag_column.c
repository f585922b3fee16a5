/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_column.c - the columns of a .snag block's payload
 */
#include "trace/snag/snag_column.h"

#include "base/memory.h"

#include <string.h>

/* A column must shrink by 1/MIN_GAIN to be compressed: plain bytes are read
 * several times faster. */
enum { MIN_GAIN = 16, LEVEL = 1, MIN_MATCH = 7, GROUP = SNAG_COLUMN_GROUP };

void snag_column_writer_init(struct snag_column_writer *w)
{
	memset(w, 0, sizeof(*w));
	w->plane = snag_calloc(SNAG_COLUMN_ROOM, 1);
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		snag_out_of_memory();
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_minMatch, MIN_MATCH);
}

void snag_column_writer_done(struct snag_column_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
	free(w->plane);
	snag_bytes_done(&w->table);
}

void snag_column_put(struct snag_column_writer *w, enum snag_column_id id, const void *plain,
		     size_t n)
{
	size_t bound = ZSTD_compressBound(n);
	uint8_t *header = snag_bytes_room(&w->to->bytes, SNAG_COLUMN_HEADER_BYTES + bound);
	uint8_t *to = header + SNAG_COLUMN_HEADER_BYTES;
	size_t stored = ZSTD_compress2(w->zstd, to, bound, plain, n);
	if (ZSTD_isError(stored)) /* the bound excludes every other error */
		snag_out_of_memory();
	enum snag_column_encoding encoding = SNAG_ZSTD;
	if (stored + n / MIN_GAIN >= n) {
		encoding = SNAG_STORED;
		stored = n;
		memcpy(to, plain, n);
	}
	header[0] = (uint8_t)id;
	header[1] = encoding;
	header[2] = header[3] = 0;
	snag_store32(header + 4, (uint32_t)n);
	snag_store32(header + 8, (uint32_t)stored);
	w->to->bytes.n += SNAG_COLUMN_HEADER_BYTES + stored;
	w->to->plain += (uint32_t)n;
}

unsigned snag_column_planes(uint32_t max)
{
	unsigned planes = 0;
	for (; max; max >>= 8)
		planes++;
	return planes;
}

/* As when reading: whole groups, which become vector instructions. */
static void plane_take(uint8_t *restrict plane, const uint32_t *restrict v, size_t n,
		       unsigned shift)
{
	for (size_t i = 0; i < n; i += GROUP)
		for (size_t g = 0; g < GROUP; g++)
			plane[i + g] = (uint8_t)(v[i + g] >> shift);
}

void snag_column_put_planes(struct snag_column_writer *w, enum snag_column_id id, const uint32_t *v,
			    size_t n, unsigned planes)
{
	for (unsigned k = 0; k < planes; k++) {
		plane_take(w->plane, v, n, 8 * k);
		snag_column_put(w, id + k, w->plane, n);
	}
}

void snag_column_reader_init(struct snag_column_reader *r)
{
	memset(r, 0, sizeof(*r));
	r->zstd = ZSTD_createDCtx();
	if (!r->zstd)
		snag_out_of_memory();
	for (int k = 0; k < SNAG_PLANES; k++)
		r->plane[k] = snag_calloc(SNAG_COLUMN_ROOM, 1);
}

void snag_column_reader_done(struct snag_column_reader *r)
{
	ZSTD_freeDCtx(r->zstd);
	for (int k = 0; k < SNAG_PLANES; k++)
		free(r->plane[k]);
}

static bool column_next(struct snag_span *payload, struct snag_column *ret_column)
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
	if (header[2] || header[3] || column.stored > (size_t)(payload->end - column.bytes) ||
	    column.encoding > SNAG_ZSTD ||
	    (column.encoding == SNAG_STORED && column.stored != column.plain))
		return false;
	payload->at = column.bytes + column.stored;
	*ret_column = column;
	return true;
}

bool snag_column_reader_scan(struct snag_column_reader *r, struct snag_span payload, uint32_t plain)
{
	uint64_t total = 0;
	int last = -1;
	memset(r->column, 0, sizeof(r->column));
	while (payload.at < payload.end) {
		struct snag_column c;
		if (!column_next(&payload, &c) || c.id >= SNAG_COLUMNS || c.id <= last)
			return false;
		last = c.id;
		total += c.plain;
		r->column[c.id] = c;
	}
	return total == plain && plain <= SNAG_BLOCK_MAX_BYTES;
}

static bool load_bytes(struct snag_column_reader *r, const struct snag_column *column, uint8_t *to)
{
	if (column->encoding == SNAG_ZSTD)
		return ZSTD_decompressDCtx(r->zstd, to, column->plain, column->bytes,
					   column->stored) == column->plain;
	if (column->plain)
		memcpy(to, column->bytes, column->plain);
	return true;
}

bool snag_column_load(struct snag_column_reader *r, enum snag_column_id id, struct snag_bytes *to)
{
	const struct snag_column *column = &r->column[id];
	to->n = 0;
	uint8_t *bytes = snag_bytes_room(to, (size_t)column->plain + 1);
	to->n = column->plain;
	return load_bytes(r, column, bytes);
}

/* Loads the planes there are; behind them, the last group is filled up with zeros. */
static bool load_planes(struct snag_column_reader *r, enum snag_column_id id, unsigned most,
			size_t n, unsigned *ret_planes)
{
	unsigned planes = 0;
	for (unsigned k = 0; k < most; k++) {
		const struct snag_column *column = &r->column[id + k];
		if (!column->bytes)
			continue;
		if (planes != k || column->plain != n || !load_bytes(r, column, r->plane[k]))
			return false;
		memset(r->plane[k] + n, 0, (GROUP - n % GROUP) % GROUP);
		planes++;
	}
	*ret_planes = planes;
	return true;
}

bool snag_column_load16(struct snag_column_reader *r, enum snag_column_id id, uint16_t *to,
			size_t n)
{
	const uint8_t *a = r->plane[0], *b = r->plane[1];
	unsigned planes;
	if (!load_planes(r, id, 2, n, &planes))
		return false;
	/* The inner loops have a fixed length: they become vector instructions. */
	if (planes == 0)
		memset(to, 0, n * sizeof(*to));
	else if (planes == 1)
		for (size_t i = 0; i < n; i += GROUP)
			for (size_t k = i; k < i + GROUP; k++)
				to[k] = a[k];
	else
		for (size_t i = 0; i < n; i += GROUP)
			for (size_t k = i; k < i + GROUP; k++)
				to[k] = (uint16_t)(a[k] | b[k] << 8);
	return true;
}

bool snag_column_load32(struct snag_column_reader *r, enum snag_column_id id, uint32_t *to,
			size_t n, unsigned *ret_planes)
{
	const uint8_t *a = r->plane[0], *b = r->plane[1], *c = r->plane[2], *d = r->plane[3];
	unsigned planes;
	if (!load_planes(r, id, SNAG_PLANES, n, &planes))
		return false;
	if (planes == 0)
		memset(to, 0, n * sizeof(*to));
	else if (planes == 1)
		for (size_t i = 0; i < n; i += GROUP)
			for (size_t k = i; k < i + GROUP; k++)
				to[k] = a[k];
	else if (planes == 2)
		for (size_t i = 0; i < n; i += GROUP)
			for (size_t k = i; k < i + GROUP; k++)
				to[k] = a[k] | (uint32_t)b[k] << 8;
	else if (planes == 3)
		for (size_t i = 0; i < n; i += GROUP)
			for (size_t k = i; k < i + GROUP; k++)
				to[k] = a[k] | (uint32_t)b[k] << 8 | (uint32_t)c[k] << 16;
	else
		for (size_t i = 0; i < n; i += GROUP)
			for (size_t k = i; k < i + GROUP; k++)
				to[k] = a[k] | (uint32_t)b[k] << 8 | (uint32_t)c[k] << 16 |
					(uint32_t)d[k] << 24;
	*ret_planes = planes;
	return true;
}
