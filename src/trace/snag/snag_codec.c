/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_codec.c - one block of a .snag file: events to payload and back, in memory
 */
#include "trace/snag/snag_codec.h"

#include "base/memory.h"
#include "trace/snag/snag_layout.h"
#include "trace/snag/snag_memory.h"
#include "trace/snag/snag_runs.h"

#include <assert.h>
#include <string.h>

enum {
	LEARN_BLOCKS = 4,  /* both layouts are tried for this many blocks, */
	RETRY_BLOCKS = 32, /* and then for one in this many */
};

struct snag_encoder {
	struct snag_column_writer writer;
	struct snag_flat_encoder *flat;
	struct snag_threads_encoder *threads;
	uint64_t *memory;
	uint64_t blocks; /* encoded so far */
	bool is_flat;	 /* the layout that was smaller when both were tried */
	struct snag_payload payload, other;
};

struct snag_encoder *snag_encoder_new(void)
{
	struct snag_encoder *enc = snag_calloc(1, sizeof(*enc));
	snag_column_writer_init(&enc->writer);
	enc->flat = snag_flat_encoder_new();
	enc->threads = snag_threads_encoder_new();
	enc->memory = snag_calloc(SNAG_MEMORY_SLOTS, sizeof(*enc->memory));
	return enc;
}

void snag_encoder_free(struct snag_encoder *enc)
{
	if (!enc)
		return;
	snag_column_writer_done(&enc->writer);
	snag_flat_encoder_free(enc->flat);
	snag_threads_encoder_free(enc->threads);
	free(enc->memory);
	snag_bytes_done(&enc->payload.bytes);
	snag_bytes_done(&enc->other.bytes);
	free(enc);
}

/* Writes the columns of the layout that makes them smaller, as far as is known. */
static void encode_events(struct snag_encoder *enc, const struct snag_event *ev, size_t n)
{
	bool try_both = enc->blocks < LEARN_BLOCKS || enc->blocks % RETRY_BLOCKS == 0;
	const struct snag_payload start = {.bytes.n = enc->payload.bytes.n,
					   .plain = enc->payload.plain};
	enc->blocks++;
	enc->writer.to = &enc->payload;
	if (!try_both) {
		if (enc->is_flat)
			snag_flat_encode(enc->flat, &enc->writer, enc->memory, ev, n);
		else
			snag_threads_encode(enc->threads, &enc->writer, SNAG_LAYOUT_THREADS, ev, n);
		return;
	}
	snag_flat_encode(enc->flat, &enc->writer, enc->memory, ev, n);
	enc->other.bytes.n = enc->other.plain = 0;
	enc->writer.to = &enc->other;
	snag_threads_encode(enc->threads, &enc->writer, SNAG_LAYOUT_THREADS_TAUGHT, ev, n);
	enc->is_flat = enc->payload.bytes.n - start.bytes.n < enc->other.bytes.n;
	if (!enc->is_flat) {
		enc->payload.bytes.n = start.bytes.n;
		enc->payload.plain = start.plain + enc->other.plain;
		snag_bytes_put(&enc->payload.bytes, enc->other.bytes.at, enc->other.bytes.n);
	}
}

const struct snag_payload *snag_encoder_block(struct snag_encoder *enc, const struct snag_event *ev,
					      size_t n, const struct snag_repeat *run, size_t nruns,
					      const struct snag_bytes *names)
{
	assert(n <= SNAG_BLOCK_MAX_EVENTS);
	enc->payload.bytes.n = enc->payload.plain = 0;
	enc->writer.to = &enc->payload;
	if (names->n)
		snag_column_put(&enc->writer, SNAG_COLUMN_NAMES, names->at, names->n);
	if (n)
		encode_events(enc, ev, n);
	if (nruns) {
		enc->writer.to = &enc->payload;
		enc->writer.table.n = 0;
		snag_runs_put(&enc->writer.table, run, nruns);
		snag_column_put(&enc->writer, SNAG_COLUMN_RUNS, enc->writer.table.at,
				enc->writer.table.n);
	}
	return &enc->payload;
}

struct snag_decoder {
	struct snag_column_reader reader;
	struct snag_flat_decoder *flat;	      /* NULL until there is such a block */
	struct snag_threads_decoder *threads; /* the same */
	uint64_t *memory;
	struct snag_bytes names_column, threads_column, sites_column, runs_column;
	struct snag_runs runs;
	enum snag_layout layout; /* of the block being delivered */
};

struct snag_decoder *snag_decoder_new(void)
{
	struct snag_decoder *dec = snag_calloc(1, sizeof(*dec));
	snag_column_reader_init(&dec->reader);
	dec->memory = snag_calloc(SNAG_MEMORY_SLOTS, sizeof(*dec->memory));
	return dec;
}

void snag_decoder_free(struct snag_decoder *dec)
{
	if (!dec)
		return;
	snag_column_reader_done(&dec->reader);
	snag_flat_decoder_free(dec->flat);
	snag_threads_decoder_free(dec->threads);
	free(dec->memory);
	snag_bytes_done(&dec->names_column);
	snag_bytes_done(&dec->threads_column);
	snag_bytes_done(&dec->sites_column);
	snag_bytes_done(&dec->runs_column);
	snag_runs_done(&dec->runs);
	free(dec);
}

const char *snag_decoder_scan(struct snag_decoder *dec, struct snag_span payload, uint32_t plain,
			      struct snag_span *ret_names)
{
	if (!snag_column_reader_scan(&dec->reader, payload, plain))
		return "bad column header";
	if (!snag_column_load(&dec->reader, SNAG_COLUMN_NAMES, &dec->names_column))
		return "bad column of names";
	*ret_names = snag_bytes_span(&dec->names_column);
	return NULL;
}

const char *snag_decoder_splits(struct snag_decoder *dec, struct snag_splits_list *list)
{
	for (int id = 0; id < SNAG_COLUMN_SPLITS; id++)
		if (dec->reader.column[id].bytes)
			return "columns of events among splits";
	if (!snag_column_load(&dec->reader, SNAG_COLUMN_SPLITS, &dec->runs_column) ||
	    !snag_splits_unpack(snag_bytes_span(&dec->runs_column), list))
		return "bad table of splits";
	return NULL;
}

const char *snag_decoder_begin(struct snag_decoder *dec, const struct snag_counts *counts,
			       uint32_t n)
{
	struct snag_column_reader *r = &dec->reader;
	if (n > SNAG_BLOCK_MAX_TOTAL)
		return "too many events";
	if (r->column[SNAG_COLUMN_SPLITS].bytes)
		return "splits among events";
	if (!snag_column_load(r, SNAG_COLUMN_RUNS, &dec->runs_column) ||
	    !snag_runs_begin(&dec->runs, snag_bytes_span(&dec->runs_column), counts, n, &n))
		return "bad table of runs";
	if (n > SNAG_BLOCK_MAX_EVENTS)
		return "too many events";
	if (n == 0) {
		for (int id = SNAG_COLUMN_NAMES + 1; id < SNAG_COLUMNS; id++)
			if (r->column[id].bytes)
				return "columns for no events";
		return NULL;
	}
	if (!snag_column_load(r, SNAG_COLUMN_THREADS, &dec->threads_column) ||
	    !snag_column_load(r, SNAG_COLUMN_SITES, &dec->sites_column))
		return "bad column";
	struct snag_span threads = snag_bytes_span(&dec->threads_column);
	struct snag_span sites = snag_bytes_span(&dec->sites_column);
	uint8_t layout;
	if (!snag_span_byte(&sites, &layout) || layout >= SNAG_LAYOUTS)
		return "unknown layout";
	dec->layout = layout;
	if (layout == SNAG_LAYOUT_FLAT) {
		if (!dec->flat)
			dec->flat = snag_flat_decoder_new();
		return snag_flat_begin(dec->flat, r, sites, counts, n);
	}
	if (!dec->threads)
		dec->threads = snag_threads_decoder_new();
	return snag_threads_begin(dec->threads, r, threads, sites, counts, n);
}

/* Events that are in the columns. */
static const char *stored_events(struct snag_decoder *dec, struct snag_event *ev, size_t n)
{
	if (dec->layout == SNAG_LAYOUT_FLAT)
		return snag_flat_events(dec->flat, dec->memory, ev, n);
	const char *why = snag_threads_events(dec->threads, ev, n);
	if (!why && dec->layout == SNAG_LAYOUT_THREADS_TAUGHT)
		snag_memory_learn(dec->memory, ev, n);
	return why;
}

static const char bad_run[] = "a run that follows from nothing, or to an id without a name";

/* The next events, at most n, n > 0: of the run that has begun, or those before the next run. */
static const char *next_events(struct snag_decoder *dec, struct snag_event *ev, size_t n,
			       size_t *ret_n)
{
	int64_t m = snag_runs_events(&dec->runs, ev, n);
	if (m < 0)
		return bad_run;
	*ret_n = (size_t)m;
	if (m > 0)
		return NULL;
	*ret_n = snag_runs_before(&dec->runs, n);
	const char *why = stored_events(dec, ev, *ret_n);
	if (!why)
		snag_runs_stored(&dec->runs, ev, *ret_n);
	return why;
}

const char *snag_decoder_events(struct snag_decoder *dec, struct snag_event *ev, size_t n)
{
	for (size_t done = 0, some; done < n; done += some) {
		const char *why = next_events(dec, ev + done, n - done, &some);
		if (why)
			return why;
	}
	return NULL;
}

const char *snag_decoder_part(struct snag_decoder *dec, size_t most, uint32_t left,
			      struct snag_decoder_part *part)
{
	part->n = part->nruns = part->total = 0;
	while (part->total < left) {
		struct snag_repeat run;
		if (part->nruns == SNAG_PART_RUNS)
			break;
		int rc = snag_runs_take(&dec->runs, &run);
		if (rc < 0)
			return bad_run;
		if (rc > 0) {
			run.at = (uint32_t)part->n;
			part->run[part->nruns++] = run;
			part->total += run.n;
			continue;
		}
		size_t room =
			most - part->n < left - part->total ? most - part->n : left - part->total;
		if (room == 0)
			break;
		const char *why = next_events(dec, part->ev + part->n, room, &room);
		if (why)
			return why;
		part->n += room;
		part->total += room;
	}
	return NULL;
}

void snag_layout_site_put(struct snag_bytes *table, uint64_t key, uint8_t mode)
{
	const uint8_t site[] = {(uint8_t)(key >> 32), (uint8_t)(key >> 40), (uint8_t)(key >> 48),
				mode};
	snag_bytes_put(table, site, sizeof(site));
}

bool snag_layout_site_read(struct snag_span *table, const struct snag_counts *counts,
			   struct snag_layout_site *ret_site)
{
	if (table->end - table->at < 4)
		return false;
	uint8_t op = table->at[0], flags = table->at[1], size = table->at[2];
	if (op >= SNAG_OPS || flags & ~(SNAG_ORDER_MASK | SNAG_NESTED) ||
	    (flags & SNAG_ORDER_MASK) >= SNAG_ORDERS)
		return false;
	enum snag_space space = snag_op_info[op].space;
	*ret_site = (struct snag_layout_site){
		.what = {op, flags, size, 0},
		.limit = space == SNAG_SPACE_NONE ? 1 : counts->n[space],
		.space = space,
		.mode = table->at[3],
	};
	table->at += 4;
	return true;
}
