/* SPDX-License-Identifier: Apache-2.0
 *
 * test_predictive.c - forgetting sections changes no answer, and does forget
 *
 * The oracle compares the predictive orders with their definitions on small traces, where
 * nothing is ever trimmed.  Here longer traces are run twice: as usual, and trimmed after
 * every few events.
 */
#include "unit.h"

#include "base/memory.h"
#include "bench/generate.h"
#include "detect/predictive.h"

#include <string.h>

enum { PIECE = 64 };

struct answers {
	uint64_t *at; /* event and a digest of what is ordered before it */
	size_t n, cap;
};

static void on_racy(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t since,
		    struct snag_vclock *before, struct snag_vclock_pool *pool)
{
	struct answers *a = ctx;
	uint64_t digest = 0;
	for (uint32_t u = 0; u < pool->seats.nthreads; u++)
		if (u != ev->thread)
			digest = digest * 31 + snag_vclock_of_thread(pool, before, u);
	a->at = snag_grow(a->at, &a->cap, a->n + 1, sizeof(*a->at));
	a->at[a->n++] = (uint64_t)event << 32 | (uint32_t)(digest ^ digest >> 32);
}

/* Runs the trace in small batches.  Returns the most sections that were filed. */
static size_t run(const struct snag_detector *d, const struct snag_generate_options *options,
		  bool trims, struct answers *ret_answers)
{
	struct snag_detector_env env = {.on_racy = on_racy, .ctx = ret_answers};
	struct snag_source *src;
	struct snag_batch batch;
	struct snag_error err;
	size_t most = 0;
	assert_int_equal(snag_generate_source(options, &src, &err), 0);
	struct snag_predictive *p = d->open(&env);
	if (trims)
		p->file_minimum = 0;
	while (snag_source_next(src, &batch, &err) > 0)
		for (size_t i = 0; i < batch.n; i += PIECE) {
			struct snag_batch piece = batch;
			piece.ev += i;
			piece.first += i;
			piece.n = batch.n - i < PIECE ? batch.n - i : PIECE;
			if (trims)
				p->file_limit = 0;
			d->events(p, &piece);
			most = p->nfiled > most ? p->nfiled : most;
		}
	d->close(p);
	snag_source_close(src);
	return most;
}

static void compare(const char *name, const struct snag_generate_options *options)
{
	const struct snag_detector *d = snag_detector_find(name, strlen(name));
	struct answers usual = {0}, trimmed = {0};
	size_t filed = run(d, options, false, &usual);
	size_t kept = run(d, options, true, &trimmed);
	if (usual.n != trimmed.n || memcmp(usual.at, trimmed.at, usual.n * sizeof(*usual.at)) != 0)
		fail_msg("%s: %zu racy accesses, %zu when trimmed, or other clocks", name, usual.n,
			 trimmed.n);
	assert_true(usual.n > 10);
	/* For sdpx every section is filed, and more of them matter. */
	assert_true(kept < filed / (strcmp(name, "sdpx") == 0 ? 1 : 2));
	free(usual.at);
	free(trimmed.at);
}

static void trimming_changes_no_answer(void **state)
{
	static const char *const names[] = {"wcp", "dc", "sdp", "sdpx", "wdp"};
	struct snag_generate_options options = snag_generate_defaults;
	options.events = 20000;
	options.unprotected = 0.02;
	options.branches = 0.1;
	options.nesting = 3;
	options.variables = 40;
	for (uint32_t seed = 1; seed <= 6; seed++) {
		options.seed = seed;
		options.threads = 2 + seed;
		options.locks = 4 + seed;
		options.fork_join = seed % 2;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			compare(names[i], &options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trimming_changes_no_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
