/* SPDX-License-Identifier: Apache-2.0
 *
 * test_traces.c - every detector on every trace of tests/traces
 *
 * Beside each NAME.std stands NAME.expect:
 *
 *   # where the trace is from, and what was said about it
 *   predictable reads: (1,6)         races when every read keeps its writer
 *   predictable dependence: none     races when only causal reads do: causality begins at branches
 *   predictable literal: none        or at writes as well
 *   witness reads: 3 4 5 0 1 6       a reordering that was said to show a race, and does so
 *   no witness dependence: 0 2 1 6   or does not, by one rule or another
 *   hb: racy 6 9                     by detector: the racy events
 *   m2: pairs (1,6)                  or the racy pairs
 *   deadlock: pairs (2,7)            the requests of deadlocks, of which there are two each
 *
 * Events count from 0; pairs go by second, then first event.  A detector without a
 * line is an error, a line without a detector is not: expectations may be ahead of
 * the code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect/analyze/analyze.h"
#include "trace/deadlock.h"
#include "trace/source.h"
#include "witness/witness.h"

enum { MAX_ITEMS = 64, MAX_LINES = 32 };

struct line {
	char key[40];
	bool is_pairs;
	size_t n; /* 0: none */
	uint32_t first[MAX_ITEMS], second[MAX_ITEMS];
};

struct expect {
	struct line line[MAX_LINES];
	size_t n;
};

static glob_t files; /* all NAME.std */

static void line_parse_items(struct line *l, char *items, const char *path)
{
	if (strcmp(items, "none") == 0)
		return;
	char *save, *word = strtok_r(items, " ", &save);
	if (word && (strcmp(word, "racy") == 0 || strcmp(word, "pairs") == 0))
		word = strtok_r(NULL, " ", &save);
	assert_non_null(word);
	l->is_pairs = *word == '(';
	for (; word; word = strtok_r(NULL, " ", &save), l->n++) {
		assert_true(l->n < MAX_ITEMS);
		int used = 0;
		if (l->is_pairs)
			sscanf(word, "(%u,%u)%n", &l->first[l->n], &l->second[l->n], &used);
		else
			sscanf(word, "%u%n", &l->second[l->n], &used);
		if (used == 0 || word[used])
			fail_msg("%s: %s: bad item '%s'", path, l->key, word);
	}
}

static const struct line *expect_find(const struct expect *x, const char *key)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->line[i].key, key) == 0)
			return &x->line[i];
	return NULL;
}

static void expect_read(struct expect *x, const char *trace_path)
{
	char path[4096], text[1024];
	snprintf(path, sizeof(path), "%.*s.expect", (int)(strlen(trace_path) - strlen(".std")),
		 trace_path);
	memset(x, 0, sizeof(*x));
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("%s: cannot open", path);
	while (fgets(text, sizeof(text), f)) {
		if (*text == '#')
			continue;
		text[strcspn(text, "\n")] = '\0';
		char *colon = strstr(text, ": ");
		if (!colon || colon - text >= (long)sizeof(x->line[0].key) || x->n == MAX_LINES)
			fail_msg("%s: bad line '%s'", path, text);
		*colon = '\0';
		if (expect_find(x, text))
			fail_msg("%s: '%s' twice", path, text);
		struct line *l = &x->line[x->n++];
		strcpy(l->key, text);
		line_parse_items(l, colon + 2, path);
	}
	fclose(f);
}

static const struct line *expect_need(const struct expect *x, const char *key, const char *path)
{
	const struct line *l = expect_find(x, key);
	if (!l)
		fail_msg("%s: its .expect has no line for '%s'", path, key);
	return l;
}

/* Whether every racy event of `small` is one of `large`; of two lists of pairs, every pair. */
static void assert_within(const struct line *small, const struct line *large, const char *path)
{
	bool pairs = small->is_pairs && large->is_pairs;
	for (size_t i = 0; i < small->n; i++) {
		bool found = false;
		for (size_t k = 0; k < large->n; k++)
			found |= small->second[i] == large->second[k] &&
				 (!pairs || small->first[i] == large->first[k]);
		if (!found)
			fail_msg("%s: event %u of '%s' is not in '%s'", path, small->second[i],
				 small->key, large->key);
	}
}

/* What the theory says of the answers among themselves: catches a slip in a file. */
static void test_expectations_agree(void **state)
{
	static const char *const within[][2] = {
		{"predictable reads", "predictable literal"}, /* a weaker rule */
		{"predictable literal", "predictable dependence"},
		{"predictable dependence", "wdp"}, /* which is complete */
		{"syncp", "m2"},		   /* which finds every predictable race */
		{"osr", "m2"},
		{"m2", "predictable reads"}, /* which is sound */
		{"shb", "hb"},
		{"hb", "wcp"},
		{"wcp", "dc"},
		{"dc", "wdp"},
		{"wcp", "sdpx"},
		{"sdpx", "sdp"},
		{"sdp", "wdp"},
	};
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *path = files.gl_pathv[i];
		static struct expect x;
		expect_read(&x, path);
		for (size_t k = 0; k < sizeof(within) / sizeof(within[0]); k++)
			assert_within(expect_need(&x, within[k][0], path),
				      expect_need(&x, within[k][1], path), path);
	}
}

static void assert_findings(const struct snag_findings *f, const struct line *l, const char *path)
{
	size_t n = l->is_pairs ? f->nraces : f->nracy;
	bool same = n == l->n && (l->n || f->nraces == 0);
	for (size_t i = 0; same && i < n; i++)
		same = l->is_pairs ? f->race[i].first.event == l->first[i] &&
					     f->race[i].second.event == l->second[i]
				   : f->racy[i] == l->second[i];
	if (same)
		return;
	print_error("%s: %s found:", path, l->key);
	for (size_t i = 0; i < f->nraces; i++)
		print_error(" (%u,%u)", f->race[i].first.event, f->race[i].second.event);
	fail_msg("not as in the .expect");
}

static void assert_deadlocks(const struct snag_findings *f, const struct line *l, const char *path)
{
	bool same = f->ndeadlocks == l->n && f->complete;
	for (size_t i = 0; same && i < f->ndeadlocks; i++)
		same = f->deadlock[i].n == 2 && f->deadlock[i].wait[0].at.event == l->first[i] &&
		       f->deadlock[i].wait[1].at.event == l->second[i];
	if (!same)
		fail_msg("%s: deadlocks are not as in the .expect", path);
}

/* Prints the line that is missing in an .expect, as the detector answers now. */
static void print_missing(const struct snag_findings *f, const char *path)
{
	print_error("%s: its .expect has no line '%s: ", path, f->name);
	if (f->nracy)
		print_error("racy");
	for (size_t i = 0; i < f->nracy; i++)
		print_error(" %u", f->racy[i]);
	if (!f->nracy)
		print_error(f->nraces ? "pairs" : "none");
	for (size_t i = 0; !f->nracy && i < f->nraces; i++)
		print_error(" (%u,%u)", f->race[i].first.event, f->race[i].second.event);
	print_error("'\n");
}

static void analyze(const char *path, enum snag_stages stages, enum snag_rules rules,
		    struct snag_analysis *ret_analysis)
{
	struct snag_analyze_options options = {
		.fitting = true, .pairs = true, .stages = stages, .rules = rules};
	struct snag_source_options source_options = {0};
	struct snag_source *src;
	struct snag_error err;
	for (size_t i = 0; snag_detectors[i]; i++)
		options.detector[options.ndetectors++] = snag_detectors[i];
	if (snag_source_open(path, &source_options, &src, &err) < 0)
		fail_msg("%s", err.msg);
	if (snag_analyze(src, &options, ret_analysis, &err) < 0)
		fail_msg("%s", err.msg);
	snag_source_close(src);
}

/* Returns how many detectors have no line. */
static unsigned assert_answers(const char *path, enum snag_stages stages)
{
	static struct expect x;
	unsigned missing = 0;
	struct snag_analysis analysis;
	expect_read(&x, path);
	analyze(path, stages, SNAG_RULES_AUTO, &analysis);
	assert_true(analysis.n > 0);
	for (size_t k = 0; k < analysis.n; k++) {
		const struct snag_findings *f = &analysis.findings[k];
		const struct line *l = expect_find(&x, f->name);
		missing += !l;
		if (!l)
			print_missing(f, path);
		else
			(f->finds_deadlocks ? assert_deadlocks : assert_findings)(f, l, path);
	}
	snag_analysis_done(&analysis);
	return missing;
}

static void test_detectors(void **state)
{
	unsigned missing = 0;
	for (size_t i = 0; i < files.gl_pathc; i++)
		missing += assert_answers(files.gl_pathv[i], SNAG_STAGES_EXACT);
	assert_int_equal(missing, 0);
}

/* Every pair that is reported is predictable; of a complete detector, all are. */
static void assert_decided(const struct snag_findings *f, const struct line *l, bool is_complete,
			   const char *path)
{
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *r = &f->race[i];
		bool found = false;
		for (size_t k = 0; k < l->n; k++)
			found |= r->first.event == l->first[k] && r->second.event == l->second[k];
		if (!found || r->verdict != SNAG_PREDICTED)
			fail_msg("%s: (%u,%u) of %s is not in '%s'", path, r->first.event,
				 r->second.event, f->name, l->key);
	}
	if (is_complete && (!f->complete || f->nraces != l->n))
		fail_msg("%s: %s finds %zu of '%s'", path, f->name, f->nraces, l->key);
}

/* The pairs of the orders are decided by the rules that are asked for. */
static void test_decided(void **state)
{
	static const char *const predictable[] = {[SNAG_RULES_READS] = "predictable reads",
						  [SNAG_RULES_DEPENDENCE] =
							  "predictable dependence",
						  [SNAG_RULES_LITERAL] = "predictable literal"};
	for (size_t i = 0; i < files.gl_pathc; i++)
		for (int rules = SNAG_RULES_READS; rules < SNAG_RULES; rules++) {
			static struct expect x;
			struct snag_analysis analysis;
			const char *path = files.gl_pathv[i];
			expect_read(&x, path);
			analyze(path, SNAG_STAGES_EXACT, (enum snag_rules)rules, &analysis);
			for (size_t k = 0; k < analysis.n; k++) {
				const struct snag_detector *d = analysis.detector[k];
				int by = d->decide == SNAG_DECIDE_DEPENDENCE ? rules
									     : SNAG_RULES_READS;
				if (d->decide != SNAG_DECIDE_NOT)
					assert_decided(&analysis.findings[k],
						       expect_need(&x, predictable[by], path),
						       d->is_complete, path);
			}
			snag_analysis_done(&analysis);
		}
}

/* Checks a reordering by the rules its line names.  Returns whether the line is of that kind. */
static bool reordering_check(const struct snag_trace *trace, const struct line *l, const char *path)
{
	bool is_witness = strncmp(l->key, "witness ", 8) == 0;
	if (!is_witness && strncmp(l->key, "no witness ", 11) != 0)
		return false;
	enum snag_rules rules = strstr(l->key, "reads")	    ? SNAG_RULES_READS
				: strstr(l->key, "literal") ? SNAG_RULES_LITERAL
							    : SNAG_RULES_DEPENDENCE;
	struct snag_witness w = {.event = (uint32_t *)l->second, .n = l->n};
	struct snag_error err = {.msg = "it is valid"};
	if ((snag_witness_check(trace, &w, rules, &err) == 0) != is_witness)
		fail_msg("%s: %s: %s", path, l->key, err.msg);
	return true;
}

/* What the papers print as witnesses is accepted, where their own rules accept it. */
static void test_reorderings(void **state)
{
	unsigned n = 0;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		static struct expect x;
		struct snag_source_options source_options = {0};
		struct snag_trace trace;
		struct snag_error err;
		expect_read(&x, files.gl_pathv[i]);
		snag_trace_init(&trace);
		if (snag_trace_load_file(&trace, files.gl_pathv[i], &source_options, &err) < 0)
			fail_msg("%s", err.msg);
		for (size_t k = 0; k < x.n; k++)
			n += reordering_check(&trace, &x.line[k], files.gl_pathv[i]);
		snag_trace_done(&trace);
	}
	assert_true(n > 0);
}

/* The published procedure answers as its paper says. */
static void test_figures_by_paper(void **state)
{
	unsigned n = 0;
	for (size_t i = 0; i < files.gl_pathc; i++)
		if (strstr(files.gl_pathv[i], "/m2_fig")) {
			assert_int_equal(assert_answers(files.gl_pathv[i], SNAG_STAGES_PAPER), 0);
			n++;
		}
	assert_true(n > 0);
}

/* It misses a race, and says that it may have. */
static void test_miss_by_paper(void **state)
{
	static struct expect x;
	struct snag_analysis analysis;
	const char *path = SNAG_TESTS_DIR "/traces/errata_m2_cone.std";
	expect_read(&x, path);
	analyze(path, SNAG_STAGES_PAPER, SNAG_RULES_AUTO, &analysis);
	for (size_t k = 0; k < analysis.n; k++) {
		const struct snag_findings *f = &analysis.findings[k];
		assert_int_equal(f->by_paper,
				 analysis.detector[k]->decide || strcmp(f->name, "m2") == 0);
		if (strcmp(f->name, "m2") != 0)
			continue;
		assert_int_equal(f->nraces + 1, expect_need(&x, "m2", path)->n);
		assert_int_equal(f->uncertain, 1);
		assert_false(f->complete);
	}
	snag_analysis_done(&analysis);
}

static int find_files(void **state)
{
	assert_int_equal(glob(SNAG_TESTS_DIR "/traces/*.std", 0, NULL, &files), 0);
	return 0;
}

static int free_files(void **state)
{
	globfree(&files);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expectations_agree),
		cmocka_unit_test(test_detectors),
		cmocka_unit_test(test_decided),
		cmocka_unit_test(test_reorderings),
		cmocka_unit_test(test_figures_by_paper),
		cmocka_unit_test(test_miss_by_paper),
	};
	return cmocka_run_group_tests(tests, find_files, free_files);
}
