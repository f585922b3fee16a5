/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_bytes.c - byte strings being written and read, with variable-length numbers
 */
#include "trace/snag/snag_bytes.h"

#include "base/memory.h"

#include <string.h>

uint8_t *snag_bytes_room(struct snag_bytes *b, size_t n)
{
	if (b->n + n > b->cap)
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

void snag_bytes_put_varint(struct snag_bytes *b, uint64_t v)
{
	uint8_t *to = snag_bytes_room(b, 10);
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

bool snag_span_varint64(struct snag_span *s, uint64_t *ret_v)
{
	uint64_t v = 0;
	uint8_t byte;
	for (int shift = 0; shift < 70; shift += 7) {
		if (!snag_span_byte(s, &byte) || (shift == 63 && byte > 1))
			return false;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		*ret_v = v;
		return true;
	}
	return false;
}

bool snag_span_varint_long(struct snag_span *s, uint32_t *ret_v)
{
	const uint8_t *at = s->at;
	uint64_t v;
	if (!snag_span_varint64(s, &v) || v > UINT32_MAX || s->at - at > 5)
		return false;
	*ret_v = (uint32_t)v;
	return true;
}
