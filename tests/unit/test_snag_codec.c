/* SPDX-License-Identifier: Apache-2.0
 *
 * test_snag_codec.c - blocks of a .snag file in memory: what goes in comes out, and
 * whatever comes in, only valid events go out
 */
#include "unit.h"

#include "random_events.h"

#include "base/memory.h"
#include "trace/snag/snag_codec.h"
#include "trace/snag/snag_layout.h"
#include "trace/snag/snag_memory.h"

#include <stdlib.h>
#include <string.h>

static const struct snag_bytes no_names;

struct codec {
	struct snag_encoder *enc;
	struct snag_decoder *dec;
	struct snag_random random;
	struct snag_event *ev, *out; /* room for a block each */
	/* Of the last block. */
	enum snag_layout layout;
	size_t nbytes;
};

static int setup(void **state)
{
	struct codec *c = calloc(1, sizeof(*c));
	c->enc = snag_encoder_new();
	c->dec = snag_decoder_new();
	c->ev = calloc(SNAG_BLOCK_MAX_EVENTS, sizeof(*c->ev));
	c->out = calloc(SNAG_BLOCK_MAX_EVENTS, sizeof(*c->out));
	snag_random_init(&c->random, 1);
	*state = c;
	return 0;
}

static int teardown(void **state)
{
	struct codec *c = *state;
	snag_encoder_free(c->enc);
	snag_decoder_free(c->dec);
	free(c->ev);
	free(c->out);
	free(c);
	return 0;
}

static struct snag_counts all_counts(uint32_t n)
{
	struct snag_counts counts;
	for (int s = 0; s < SNAG_SPACES; s++)
		counts.n[s] = n;
	return counts;
}

/* Encodes and decodes c->ev[0 .. n), in batches of any size. */
static void round_trip(struct codec *c, size_t n, const struct snag_counts *counts)
{
	const struct snag_payload *payload =
		snag_encoder_block(c->enc, c->ev, n, NULL, 0, &no_names);
	struct snag_span span = snag_bytes_span(&payload->bytes), names;
	assert_null(snag_decoder_scan(c->dec, span, payload->plain, &names));
	assert_true(names.at == names.end);
	assert_null(snag_decoder_begin(c->dec, counts, (uint32_t)n));
	memset(c->out, 0xee, n * sizeof(*c->out));
	for (size_t at = 0, m; at < n; at += m) {
		m = 1 + snag_random_below(&c->random, 5000);
		m = m < n - at ? m : n - at;
		assert_null(snag_decoder_events(c->dec, c->out + at, m));
	}
	assert_memory_equal(c->ev, c->out, n * sizeof(*c->ev));

	struct snag_column_reader r;
	struct snag_bytes sites = {0};
	snag_column_reader_init(&r);
	assert_true(snag_column_reader_scan(&r, span, payload->plain));
	assert_true(snag_column_load(&r, SNAG_COLUMN_SITES, &sites));
	c->layout = sites.at[0];
	c->nbytes = payload->bytes.n;
	snag_bytes_done(&sites);
	snag_column_reader_done(&r);
}

/* The same through each layout, whichever the codec would choose. */
static void round_trip_layouts(struct codec *c, size_t n, const struct snag_counts *counts)
{
	struct snag_column_writer w;
	struct snag_column_reader r;
	struct snag_payload flat_payload = {0}, threads_payload = {0};
	struct snag_flat_encoder *flat_enc = snag_flat_encoder_new();
	struct snag_flat_decoder *flat_dec = snag_flat_decoder_new();
	struct snag_threads_encoder *threads_enc = snag_threads_encoder_new();
	struct snag_threads_decoder *threads_dec = snag_threads_decoder_new();
	uint64_t *enc_memory = calloc(SNAG_MEMORY_SLOTS, sizeof(*enc_memory));
	uint64_t *dec_memory = calloc(SNAG_MEMORY_SLOTS, sizeof(*dec_memory));
	struct snag_bytes sites = {0}, threads = {0};
	snag_column_writer_init(&w);
	snag_column_reader_init(&r);

	w.to = &flat_payload;
	snag_flat_encode(flat_enc, &w, enc_memory, c->ev, n);
	assert_true(snag_column_reader_scan(&r, snag_bytes_span(&flat_payload.bytes),
					    flat_payload.plain));
	assert_true(snag_column_load(&r, SNAG_COLUMN_SITES, &sites));
	struct snag_span table = {sites.at + 1, sites.at + sites.n};
	assert_null(snag_flat_begin(flat_dec, &r, table, counts, n));
	memset(c->out, 0xee, n * sizeof(*c->out));
	assert_null(snag_flat_events(flat_dec, dec_memory, c->out, n));
	assert_memory_equal(c->ev, c->out, n * sizeof(*c->ev));
	assert_memory_equal(enc_memory, dec_memory, SNAG_MEMORY_SLOTS * sizeof(*enc_memory));

	w.to = &threads_payload;
	snag_threads_encode(threads_enc, &w, SNAG_LAYOUT_THREADS, c->ev, n);
	assert_true(snag_column_reader_scan(&r, snag_bytes_span(&threads_payload.bytes),
					    threads_payload.plain));
	assert_true(snag_column_load(&r, SNAG_COLUMN_THREADS, &threads));
	assert_true(snag_column_load(&r, SNAG_COLUMN_SITES, &sites));
	table = (struct snag_span){sites.at + 1, sites.at + sites.n};
	assert_null(
		snag_threads_begin(threads_dec, &r, snag_bytes_span(&threads), table, counts, n));
	memset(c->out, 0xee, n * sizeof(*c->out));
	assert_null(snag_threads_events(threads_dec, c->out, n));
	assert_memory_equal(c->ev, c->out, n * sizeof(*c->ev));

	/* What a block by threads teaches is what a flat one remembers. */
	memset(dec_memory, 0, SNAG_MEMORY_SLOTS * sizeof(*dec_memory));
	snag_memory_learn(dec_memory, c->ev, n);
	assert_memory_equal(enc_memory, dec_memory, SNAG_MEMORY_SLOTS * sizeof(*enc_memory));

	snag_bytes_done(&sites);
	snag_bytes_done(&threads);
	snag_bytes_done(&flat_payload.bytes);
	snag_bytes_done(&threads_payload.bytes);
	snag_column_writer_done(&w);
	snag_column_reader_done(&r);
	snag_flat_encoder_free(flat_enc);
	snag_flat_decoder_free(flat_dec);
	snag_threads_encoder_free(threads_enc);
	snag_threads_decoder_free(threads_dec);
	free(enc_memory);
	free(dec_memory);
}

static void test_random_events(void **state)
{
	static const uint32_t ids[] = {1, 2, 200, 300, 70000, 1u << 24, UINT32_MAX};
	static const size_t lengths[] = {1, 2, 31, 32, 33, 1000, 20000, SNAG_BLOCK_MAX_EVENTS};
	struct codec *c = *state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
			const struct snag_counts counts = all_counts(ids[i]);
			for (size_t e = 0; e < lengths[k]; e++)
				c->ev[e] = random_event(&c->random, &counts);
			round_trip(c, lengths[k], &counts);
			if (k % 3 == i % 3)
				round_trip_layouts(c, lengths[k], &counts);
		}
}

static void test_every_event_its_own_thread_and_site(void **state)
{
	struct codec *c = *state;
	const struct snag_counts counts = all_counts(SNAG_BLOCK_MAX_EVENTS);
	for (uint32_t e = 0; e < SNAG_BLOCK_MAX_EVENTS; e++)
		c->ev[e] = (struct snag_event){.thread = e, .target = e, .loc = e};
	round_trip(c, SNAG_BLOCK_MAX_EVENTS, &counts);
	round_trip_layouts(c, SNAG_BLOCK_MAX_EVENTS, &counts);
}

/* Targets that leap between the ends: differences of all 32 bits, of both signs. */
static void test_extreme_targets(void **state)
{
	static const uint32_t leaps[] = {0x7f,	   0x80,       0x7fff,	   0x8000,	  0x7fffff,
					 0x800000, 0x7fffffff, 0x80000000, UINT32_MAX - 1};
	struct codec *c = *state;
	const struct snag_counts counts = all_counts(UINT32_MAX);
	for (size_t i = 0; i < sizeof(leaps) / sizeof(leaps[0]); i++) {
		for (uint32_t e = 0; e < 300; e++)
			c->ev[e] = (struct snag_event){.thread = e / 2 % 3,
						       .op = e % 2,
						       .target = e / 6 % 2 ? leaps[i] : e % 2,
						       .loc = UINT32_MAX - 1 - e % 2};
		round_trip(c, 300, &counts);
		round_trip_layouts(c, 300, &counts);
	}
}

static void test_walks_are_laid_out_by_threads(void **state)
{
	struct codec *c = *state;
	const struct snag_counts counts = all_counts(1u << 20);
	size_t n = 30000;
	uint32_t step[4] = {0};
	for (uint32_t block = 0; block < 20; block++) {
		for (size_t e = 0; e < n; e++) {
			uint32_t t = snag_random_below(&c->random, 4), i = step[t]++;
			c->ev[e] = (struct snag_event){.thread = t,
						       .op = i % 3 == 2,
						       .size = 8,
						       .target = t << 18 | (i / 3 + i % 3 * 1000),
						       .loc = i % 3};
		}
		round_trip(c, n, &counts);
		assert_int_not_equal(c->layout, SNAG_LAYOUT_FLAT);
		if (block == 9) /* neither at the start nor due for a new try */
			assert_int_equal(c->layout, SNAG_LAYOUT_THREADS);
		assert_true(c->nbytes < n);
	}
}

static void test_random_accesses_are_flat(void **state)
{
	struct codec *c = *state;
	const struct snag_counts counts = all_counts(10000);
	size_t n = 60000;
	for (uint32_t block = 0; block < 12; block++) {
		for (size_t e = 0; e < n; e++) {
			uint32_t x = snag_random_below(&c->random, 10000);
			uint8_t op = (uint8_t)snag_random_below(&c->random, 2);
			c->ev[e] = (struct snag_event){.thread = snag_random_below(&c->random, 8),
						       .op = op,
						       .target = x,
						       .loc = 2 * (x % 100) + op};
		}
		round_trip(c, n, &counts);
		if (block < 2) /* memory is being filled */
			continue;
		assert_int_equal(c->layout, SNAG_LAYOUT_FLAT);
		assert_true(c->nbytes < n * 5 / 2);
	}
}

/* The layout changes with the trace, and memory survives the change. */
static void test_phases(void **state)
{
	struct codec *c = *state;
	const struct snag_counts counts = all_counts(5000);
	bool seen[SNAG_LAYOUTS] = {false};
	for (uint32_t block = 0; block < 60; block++) {
		bool walks = block / 20 % 2;
		for (uint32_t e = 0; e < 5000; e++) {
			uint32_t x = walks ? e : snag_random_below(&c->random, 1000);
			c->ev[e] = (struct snag_event){.thread = walks ? 0 : e * 7 / 4 % 5,
						       .target = x,
						       .loc = walks ? e % 3 : x % 50 + 5};
		}
		round_trip(c, 5000, &counts);
		seen[c->layout] = true;
	}
	for (int layout = 0; layout < SNAG_LAYOUTS; layout++)
		assert_true(seen[layout]);
}

static bool is_valid(const struct snag_event *ev, const struct snag_counts *counts)
{
	if (ev->op >= SNAG_OPS || ev->part || ev->flags & ~(SNAG_ORDER_MASK | SNAG_NESTED) ||
	    (ev->flags & SNAG_ORDER_MASK) >= SNAG_ORDERS)
		return false;
	enum snag_space space = snag_op_info[ev->op].space;
	return ev->thread < counts->n[SNAG_SPACE_THREAD] &&
	       ev->loc < counts->n[SNAG_SPACE_LOCATION] &&
	       (space == SNAG_SPACE_NONE ? ev->target == 0 : ev->target < counts->n[space]);
}

/* Decodes what may be anything; true: all n events came out. */
static bool decode_any(struct codec *c, const uint8_t *bytes, size_t nbytes, uint32_t plain,
		       uint32_t n, const struct snag_counts *counts)
{
	struct snag_decoder *dec = snag_decoder_new();
	struct snag_span payload = {bytes, bytes + nbytes}, names;
	const char *why = snag_decoder_scan(dec, payload, plain, &names);
	if (!why)
		why = snag_decoder_begin(dec, counts, n);
	for (uint32_t at = 0; !why && at < n; at += 16) {
		uint32_t m = n - at < 16 ? n - at : 16;
		why = snag_decoder_events(dec, c->out, m);
		for (uint32_t i = 0; !why && i < m; i++)
			assert_true(is_valid(&c->out[i], counts));
	}
	snag_decoder_free(dec);
	return !why;
}

/* A first block, which any decoder can read: random, or a walk by threads. */
static struct snag_payload small_payload(struct codec *c, bool walks, uint32_t n,
					 const struct snag_counts *counts)
{
	for (uint32_t e = 0; e < n; e++) {
		c->ev[e] = random_event(&c->random, counts);
		if (walks)
			c->ev[e] = (struct snag_event){
				.thread = c->ev[e].thread, .target = e / 2, .loc = e % 2};
	}
	struct snag_encoder *enc = snag_encoder_new();
	const struct snag_payload *payload = snag_encoder_block(enc, c->ev, n, NULL, 0, &no_names);
	struct snag_payload copy = {.plain = payload->plain};
	snag_bytes_put(&copy.bytes, payload->bytes.at, payload->bytes.n);
	snag_encoder_free(enc);
	return copy;
}

static void test_damaged_payloads(void **state)
{
	struct codec *c = *state;
	const struct snag_counts counts = {.n = {5, 40, 3, 9, 2}};
	const uint32_t n = 60;
	int accepted = 0, rejected = 0;
	for (int round = 0; round < 20; round++) {
		struct snag_payload good = small_payload(c, round % 2, n, &counts);
		uint32_t nbytes = (uint32_t)good.bytes.n;
		uint8_t *bytes = malloc(nbytes);
		assert_true(decode_any(c, good.bytes.at, nbytes, good.plain, n, &counts));
		assert_false(decode_any(c, good.bytes.at, nbytes, good.plain, n + 1, &counts));
		assert_false(decode_any(c, good.bytes.at, nbytes, good.plain, n - 1, &counts));
		assert_false(decode_any(c, good.bytes.at, nbytes, good.plain + 1, n, &counts));
		for (uint32_t cut = 0; cut < nbytes; cut += 31)
			assert_false(decode_any(c, good.bytes.at, cut, good.plain, n, &counts));
		for (int k = 0; k < 60; k++) {
			memcpy(bytes, good.bytes.at, nbytes);
			for (int changes = 1 + k % 3; changes > 0; changes--)
				bytes[snag_random_below(&c->random, nbytes)] =
					(uint8_t)snag_random_below(&c->random, 256);
			if (decode_any(c, bytes, nbytes, good.plain, n, &counts))
				accepted++;
			else
				rejected++;
		}
		free(bytes);
		snag_bytes_done(&good.bytes);
	}
	/* Both happen: the changes reach the checks, and go past them. */
	assert_true(accepted > 10);
	assert_true(rejected > 50);
}

static void test_varints(void **state)
{
	static const uint32_t values[] = {0, 1, 127, 128, 16383, 16384, 1u << 28, UINT32_MAX};
	struct snag_bytes b = {0};
	uint32_t v = 77;
	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		b.n = 0;
		snag_bytes_put_varint(&b, values[i]);
		struct snag_span whole = snag_bytes_span(&b), cut = {b.at, b.at + b.n - 1};
		assert_false(snag_span_varint(&cut, &v));
		assert_true(snag_span_varint(&whole, &v));
		assert_int_equal(v, values[i]);
		assert_ptr_equal(whole.at, whole.end);
	}
	static const uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0x1f};
	static const uint8_t too_long[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
	struct snag_span s = {too_large, too_large + sizeof(too_large)};
	assert_false(snag_span_varint(&s, &v));
	s = (struct snag_span){too_long, too_long + sizeof(too_long)};
	assert_false(snag_span_varint(&s, &v));
	snag_bytes_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_event_its_own_thread_and_site, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_extreme_targets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walks_are_laid_out_by_threads, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_random_accesses_are_flat, setup, teardown),
		cmocka_unit_test_setup_teardown(test_phases, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged_payloads, setup, teardown),
		cmocka_unit_test(test_varints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
