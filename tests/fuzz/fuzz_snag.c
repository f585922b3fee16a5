/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_snag.c - any bytes as a .snag file
 *
 * The bytes are read as they are, and once more with all hashes made right: otherwise
 * hardly any input would get behind them.
 */
#include "trace/format.h"
#include "trace/input.h"
#include "trace/source.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct snag_batch *batch)
{
	const uint32_t *n = batch->counts.n;
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		if (ev->op >= SNAG_OPS || ev->thread >= n[SNAG_SPACE_THREAD] ||
		    ev->loc >= n[SNAG_SPACE_LOCATION])
			abort();
		enum snag_space space = snag_op_info[ev->op].space;
		if (space == SNAG_SPACE_NONE ? ev->target != 0 : ev->target >= n[space])
			abort();
	}
}

static void read_all(const uint8_t *data, size_t size, bool lenient)
{
	const struct snag_source_options options = {.lenient = lenient};
	struct snag_source *src;
	struct snag_batch batch;
	struct snag_error err = {0};
	struct snag_input *in = snag_input_from_memory("fuzz", data, size);
	int rc = snag_binary_source(in, &options, &src, &err);
	if (rc == 0) {
		while ((rc = snag_source_next(src, &batch, &err)) > 0)
			check(&batch);
		for (int s = 0; s < SNAG_SPACES; s++) /* names that count are spelled out */
			if (src->names->space[s].n)
				snag_name(src->names, s, 0);
		snag_source_close(src);
	}
	if (rc < 0 && (rc != err.code || !err.msg[0]))
		abort();
}

static void make_hashes_right(uint8_t *data, size_t size)
{
	if (size < SNAG_FILE_HEADER_BYTES)
		return;
	snag_store64(data + 24, snag_format_hash(data, 24));
	for (size_t at = SNAG_FILE_HEADER_BYTES; size - at >= SNAG_BLOCK_HEADER_BYTES;) {
		size_t stored = snag_load32(data + at + 24), payload = at + SNAG_BLOCK_HEADER_BYTES;
		if (stored <= size - payload)
			snag_store64(data + at + 32, snag_format_hash(data + payload, stored));
		snag_store64(data + at + 40, snag_format_hash(data + at, 40));
		if (stored > size - payload)
			return;
		at = payload + stored;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size, false);
	uint8_t *copy = malloc(size ? size : 1);
	if (size)
		memcpy(copy, data, size);
	make_hashes_right(copy, size);
	read_all(copy, size, true);
	free(copy);
	return 0;
}
