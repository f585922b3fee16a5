/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_bytes.h - byte strings being written and read, with variable-length numbers
 *
 * A varint is LEB128: seven bits to a byte, lowest first, the top bit set in all
 * but the last.
 */
#ifndef SNAG_TRACE_SNAG_BYTES_H
#define SNAG_TRACE_SNAG_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_bytes { /* grows at its end */
	uint8_t *at;
	size_t n, cap;
};

/* Makes room for `n` more bytes after b->n; the caller advances b->n. */
uint8_t *snag_bytes_room(struct snag_bytes *b, size_t n);
void snag_bytes_put(struct snag_bytes *b, const void *bytes, size_t n);
void snag_bytes_put_varint(struct snag_bytes *b, uint64_t v);
void snag_bytes_done(struct snag_bytes *b);

struct snag_span { /* bytes being read */
	const uint8_t *at, *end;
};

static inline struct snag_span snag_bytes_span(const struct snag_bytes *b)
{
	return (struct snag_span){b->at, b->n ? b->at + b->n : b->at}; /* at may be NULL */
}

/* Both return false if the bytes end too early; the varint also if it has more than 32 bits. */
bool snag_span_byte(struct snag_span *s, uint8_t *ret_v);
bool snag_span_varint64(struct snag_span *s, uint64_t *ret_v);	  /* the same for 64 bits */
bool snag_span_varint_long(struct snag_span *s, uint32_t *ret_v); /* or short */

static inline bool snag_span_varint(struct snag_span *s, uint32_t *ret_v)
{
	if (s->at == s->end || *s->at >= 0x80)
		return snag_span_varint_long(s, ret_v);
	*ret_v = *s->at++;
	return true;
}

#endif
