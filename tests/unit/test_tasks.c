/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tasks.c - every program in tests/tasks/ with every detector that can judge it
 *
 * Expectations are comments of the programs:
 *
 *   // expect: VERDICT           of all detectors that can judge the program
 *   // expect NAME: VERDICT      of that one instead
 *   // expect NAME: refuses L:C  it cannot judge the program because of what stands there
 *   // expect explore: VERDICT   of all schedules, all of which must be covered
 *   // expect explore: deadlock  some schedule has one; without it: none has
 *   // expect explore: final_states N
 *   // expect deadlock           of the depth-first run; without it: none
 *   // expect error: TEXT        the program fails; what stands behind its name
 *
 * VERDICT is race-free, no-race-found, or race and all racy variables: "race x, a[0..3]".
 * Programs that do not fail must have a line for every detector that can judge them; those
 * without one for explore are not explored.
 */
#include "unit.h"

#include "detect/analyze/analyze.h"
#include "lang/explore.h"
#include "lang/run.h"
#include "report/tasks/task_report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 1 << 16 };

struct file {
	char path[512];
	const char *name; /* at the end of path */
	char *text;
	size_t n;
	unsigned failed;
};

static void complain(struct file *f, unsigned line, const char *what, const char *got)
{
	print_error("%s:%u: expected %s, got %s\n", f->name, line, what, got);
	f->failed++;
}

/* The text behind "// expect KEY" on some line; NULL: there is none. */
static const char *expectation(const struct file *f, const char *key, unsigned *ret_line)
{
	char want[80];
	int n = snprintf(want, sizeof(want), "// expect%s%s", *key && *key != ':' ? " " : "", key);
	unsigned line = 1;
	for (const char *at = f->text; at; line++) {
		if (strncmp(at, want, (size_t)n) == 0) {
			*ret_line = line;
			return at + n;
		}
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return NULL;
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A set of words, sorted, each once. */
struct words {
	char *at[MAX_WORDS];
	size_t n;
};

static void words_add(struct words *w, const char *word, size_t len)
{
	assert_true(w->n < MAX_WORDS);
	w->at[w->n++] = strndup(word, len);
}

static void words_sort(struct words *w)
{
	size_t to = 0;
	qsort(w->at, w->n, sizeof(w->at[0]), compare_words);
	for (size_t i = 0; i < w->n; i++) {
		if (to > 0 && strcmp(w->at[to - 1], w->at[i]) == 0)
			free(w->at[i]);
		else
			w->at[to++] = w->at[i];
	}
	w->n = to;
}

static void words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->at[i]);
	w->n = 0;
}

/* "x, a[0..3]" to the end of the line. */
static void words_expected(struct words *w, const char *list)
{
	while (*list != '\n') {
		size_t len = strcspn(list, ",\n");
		const char *dots = memmem(list, len, "..", 2), *bracket = memchr(list, '[', len);
		if (dots && bracket) {
			int from = atoi(bracket + 1), to = atoi(dots + 2);
			for (int i = from; i <= to; i++) {
				char word[64];
				int n = snprintf(word, sizeof(word), "%.*s[%d]",
						 (int)(bracket - list), list, i);
				words_add(w, word, (size_t)n);
			}
		} else {
			words_add(w, list, len);
		}
		list += len;
		list += strspn(list, ", ");
	}
	words_sort(w);
}

static void words_found(struct words *w, const struct snag_findings *f,
			const struct snag_names *names)
{
	for (size_t i = 0; i < f->nraces; i++) {
		char name[SNAG_TASK_NAME];
		uint32_t cell;
		snag_task_variable_of(names, f->race[i].second.target, name, &cell);
		words_add(w, name, strlen(name));
	}
}

static bool is_same(const struct words *a, const struct words *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->at[i], b->at[i]) != 0)
			return false;
	return true;
}

static void words_join(const struct words *w, char *to, size_t cap)
{
	size_t n = 0;
	to[0] = 0;
	for (size_t i = 0; i < w->n && n < cap; i++)
		n += (size_t)snprintf(to + n, cap - n, "%s%s", i ? ", " : "", w->at[i]);
}

/* Compares a verdict of `who`, with the racy variables, with the words behind "expect: ". */
static void verdict_check(struct file *f, unsigned line, const char *who, const char *expected,
			  enum snag_task_verdict verdict, struct words *ret_found)
{
	static struct words want;
	char got[400], what[400], list[300];
	size_t len = strcspn(expected, " \n");
	words_sort(ret_found);
	if (expected[len] == ' ')
		words_expected(&want, expected + len + 1);
	if (strlen(snag_task_verdict_text[verdict]) != len ||
	    memcmp(snag_task_verdict_text[verdict], expected, len) != 0 ||
	    !is_same(&want, ret_found)) {
		words_join(ret_found, list, sizeof(list));
		snprintf(got, sizeof(got), "%s %s", snag_task_verdict_text[verdict], list);
		snprintf(what, sizeof(what), "%s: %.*s", who, (int)strcspn(expected, "\n"),
			 expected);
		complain(f, line, what, got);
	}
	words_done(&want);
	words_done(ret_found);
}

/* Where the program first has what the detector cannot judge, line 0: nowhere. */
static struct snag_place refused_at(const struct snag_program *program,
				    const struct snag_detector *d)
{
	struct snag_place first = {0};
	for (int op = 0; op < SNAG_OPS; op++) {
		struct snag_place at = snag_program_first(program, (enum snag_op)op);
		if (at.line && !(d->ops >> op & 1) &&
		    (first.line == 0 || at.line < first.line ||
		     (at.line == first.line && at.column < first.column)))
			first = at;
	}
	return first;
}

static void deadlock_check(struct file *f, const struct snag_source *src)
{
	unsigned line = 1;
	bool expected = expectation(f, "deadlock", &line);
	bool got = snag_run_end(src)->deadlock;
	if (got != expected)
		complain(f, line, expected ? "a deadlock" : "no deadlock", got ? "one" : "none");
}

static void refusal_check(struct file *f, const struct snag_detector *d, struct snag_place at)
{
	char key[64], place[32];
	unsigned line;
	snprintf(key, sizeof(key), "%s: refuses ", d->name);
	const char *expected = expectation(f, key, &line);
	snprintf(place, sizeof(place), "%u:%u", at.line, at.column);
	size_t len = strlen(place);
	if (expected && (strncmp(expected, place, len) != 0 || expected[len] != '\n'))
		complain(f, line, "another place", place);
}

/* One detector. */
static void detector_check(struct file *f, const struct snag_program *program,
			   const struct snag_detector *d)
{
	char key[64];
	unsigned line = 1;
	struct snag_place at = refused_at(program, d);
	if (at.line) {
		refusal_check(f, d, at);
		return;
	}
	snprintf(key, sizeof(key), "%s: ", d->name);
	const char *expected = expectation(f, key, &line);
	if (!expected)
		expected = expectation(f, ": ", &line);
	if (!expected) {
		complain(f, line, "an expectation", d->name);
		return;
	}
	static struct words found;
	const struct snag_run_options options = {0};
	struct snag_analyze_options analyze = {
		.detector = {d}, .ndetectors = 1, .by_variable = true, .brief = true};
	struct snag_source *src;
	struct snag_analysis a;
	struct snag_error err;
	assert_int_equal(snag_run_source(program, &options, &src, &err), 0);
	if (snag_analyze(src, &analyze, &a, &err) < 0) {
		complain(f, line, expected, err.msg);
	} else {
		struct snag_task_report report = {.deadlock = snag_run_end(src)->deadlock};
		words_found(&found, &a.findings[0], src->names);
		verdict_check(f, line, d->name, expected,
			      snag_task_verdict(&report, &a.findings[0]), &found);
		deadlock_check(f, src);
		snag_analysis_done(&a);
	}
	snag_source_close(src);
}

static void explored_check(struct file *f, const struct snag_explored *x)
{
	static struct words found;
	char got[32];
	unsigned line = 1;
	const char *expected = expectation(f, "explore: race", &line);
	for (size_t i = 0; i < x->nraces; i++)
		words_add(&found, x->race[i].variable, strlen(x->race[i].variable));
	verdict_check(f, line, "explore", expected ? expected - 4 : "no-race-found\n",
		      x->nraces ? SNAG_TASK_RACE
				: (x->exhaustive ? SNAG_TASK_RACE_FREE : SNAG_TASK_NO_RACE_FOUND),
		      &found);
	if (!x->exhaustive)
		complain(f, line, "all schedules", snag_explore_gap_text(x->gap));
	bool deadlock = expectation(f, "explore: deadlock", &line);
	if (deadlock != (x->deadlock.n > 0))
		complain(f, line, deadlock ? "a deadlock" : "no deadlock", "the other");
	expected = expectation(f, "explore: final_states ", &line);
	snprintf(got, sizeof(got), "%llu", (unsigned long long)x->final_states);
	if (expected && strtoull(expected, NULL, 10) != x->final_states)
		complain(f, line, "another number of final states", got);
}

/* A program that fails, in its text or as it runs. */
static void error_check(struct file *f, const char *expected, unsigned line)
{
	const struct snag_run_options options = {0};
	struct snag_program *program = NULL;
	struct snag_source *src = NULL;
	struct snag_batch batch;
	struct snag_error err = {0};
	int rc = snag_program_parse(f->name, f->text, f->n, &program, &err);
	if (rc == 0)
		rc = snag_run_source(program, &options, &src, &err);
	while (rc >= 0 && (rc = snag_source_next(src, &batch, &err)) > 0)
		;
	const char *got = rc < 0 ? err.msg + strlen(f->name) + 1 : "none";
	size_t len = strcspn(expected, "\n");
	if (strlen(got) != len || memcmp(got, expected, len) != 0)
		complain(f, line, "another error", got);
	snag_source_close(src);
	snag_program_free(program);
}

static void file_check(struct file *f)
{
	unsigned line;
	const char *error = expectation(f, "error: ", &line);
	struct snag_program *program;
	struct snag_error err;
	if (error) {
		error_check(f, error, line);
		return;
	}
	if (snag_program_parse(f->name, f->text, f->n, &program, &err) < 0) {
		complain(f, 1, "a program", err.msg);
		return;
	}
	for (size_t i = 0; snag_detectors[i]; i++)
		if (snag_detectors[i]->ops & SNAG_OPS_OF_TASKS)
			detector_check(f, program, snag_detectors[i]);
	if (expectation(f, "explore: ", &line)) {
		const struct snag_explore_options options = {.seconds = 20};
		struct snag_explored x;
		snag_explore(program, &options, &x);
		explored_check(f, &x);
		snag_explored_done(&x);
	}
	snag_program_free(program);
}

static int is_program(const struct dirent *e)
{
	size_t n = strlen(e->d_name);
	return n > 5 && strcmp(e->d_name + n - 5, ".task") == 0;
}

static void every_program_is_judged_as_it_says(void **state)
{
	static const char dir[] = SNAG_TESTS_DIR "/tasks";
	struct dirent **entry;
	unsigned failed = 0;
	int n = scandir(dir, &entry, is_program, alphasort);
	assert_true(n > 50);
	for (int i = 0; i < n; i++) {
		struct file f = {0};
		snprintf(f.path, sizeof(f.path), "%s/%s", dir, entry[i]->d_name);
		f.name = f.path + sizeof(dir);
		FILE *in = fopen(f.path, "r");
		assert_non_null(in);
		size_t cap = 0;
		f.n = (size_t)getdelim(&f.text, &cap, 0, in);
		fclose(in);
		file_check(&f);
		failed += f.failed;
		free(f.text);
		free(entry[i]);
	}
	free(entry);
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_program_is_judged_as_it_says)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
