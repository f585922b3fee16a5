/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the oracle: random small traces, and everything that must hold for them
 *
 * Each trace is made from the seed and its number alone.  The first failure is shrunk and
 * printed with both answers, and ends the run with status 1.
 */
#include "cases.h"
#include "base/clock.h"
#include "check.h"
#include "generate.h"
#include "shrink.h"

#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
	const char *name;
	check_function *run;
	unsigned every; /* runs on one trace in so many */
	bool by_name;	/* only if it is named */
	unsigned long passed, skipped;
};

static struct check checks[] = {
	{.name = "search", .run = check_search, .every = 1},
	{.name = "witness", .run = check_witness, .every = 1},
	{.name = "hb", .run = check_hb, .every = 1},
	{.name = "shb", .run = check_shb, .every = 1},
	{.name = "mixed", .run = check_mixed, .every = 1},
	{.name = "wcp", .run = check_wcp, .every = 1},
	{.name = "dc", .run = check_dc, .every = 1},
	{.name = "sdp", .run = check_sdp, .every = 1},
	{.name = "sdpx", .run = check_sdpx, .every = 1},
	{.name = "wdp", .run = check_wdp, .every = 1},
	{.name = "hybrid", .run = check_hybrid, .every = 1},
	{.name = "ordered", .run = check_ordered, .every = 4},
	{.name = "delay", .run = check_delay, .every = 1},
	{.name = "suspects", .run = check_suspects, .every = 1},
	{.name = "lattice", .run = check_lattice, .every = 1},
	{.name = "sdp-sound", .run = check_sdp_sound, .every = 1, .by_name = true},
	{.name = "closure", .run = check_closure, .every = 1},
	{.name = "decide-m2", .run = check_decide_m2, .every = 1},
	{.name = "decide-dep", .run = check_decide_dep, .every = 1},
	{.name = "decide-literal", .run = check_decide_literal, .every = 4},
	{.name = "m2", .run = check_m2, .every = 1},
	{.name = "syncp", .run = check_syncp, .every = 1},
	{.name = "osr", .run = check_osr, .every = 1},
	{.name = "deadlock", .run = check_deadlock, .every = 1},
	{.name = "atomicity", .run = check_atomicity, .every = 1},
	{.name = "freed", .run = check_freed, .every = 1},
	{.name = "paper", .run = check_paper, .every = 1},
	{.name = "published", .run = check_published, .every = 1},
	{.name = "vindicate", .run = check_vindicate, .every = 1},
	{.name = "decided", .run = check_decided, .every = 1},
	{.name = "filter", .run = check_filter, .every = 1},
	{.name = "filter-m2", .run = check_filter_m2, .every = 1},
	{.name = "windows", .run = check_windows, .every = 4},
	{.name = "filter-wdp", .run = check_filter_wdp, .every = 1},
	{.name = "std", .run = check_std, .every = 64}, /* files are slow */
	{.name = "snag", .run = check_binary, .every = 64},
};

enum { NCHECKS = sizeof(checks) / sizeof(checks[0]) };

struct options {
	struct generate_options generate;
	unsigned long traces;
	unsigned long first; /* number of the first trace */
	uint64_t seed;
	double seconds;
	unsigned long least; /* so many traces, however long it takes */
	const char *check;   /* comma-separated, NULL: all */
};

static bool is_check(const char *name, size_t len)
{
	bool found = len == 5 && strncmp(name, "cases", len) == 0;
	for (unsigned i = 0; i < NCHECKS; i++)
		found |= strlen(checks[i].name) == len && strncmp(name, checks[i].name, len) == 0;
	return found;
}

/* Whether every name of the comma-separated list is that of a check. */
static bool are_checks(const char *list)
{
	for (;; list++) {
		size_t len = strcspn(list, ",");
		if (!is_check(list, len))
			return false;
		list += len;
		if (*list == '\0')
			return true;
	}
}

static bool is_selected(const struct options *o, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = o->check; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return !o->check;
}

static bool runs(const struct options *o, const struct check *c)
{
	return is_selected(o, c->name) && (o->check || !c->by_name);
}

struct shrinking {
	struct subject *subject;
	const struct check *check;
	uint64_t seed;
	struct reason why;
};

static bool still_fails(void *ctx, const struct snag_trace *trace)
{
	struct shrinking *s = ctx;
	return subject_set(s->subject, trace, s->seed) &&
	       s->check->run(s->subject, &s->why) == FAILED;
}

static void report(struct subject *subject, const struct check *check, uint64_t seed,
		   struct draft *d, const char *origin)
{
	struct shrinking s = {.subject = subject, .check = check, .seed = seed};
	struct snag_trace trace;
	shrink(d, still_fails, &s);
	draft_check(d);
	draft_to_trace(d, &trace);
	still_fails(&s, &trace);
	printf("%s: FAILED on %s, shrunk to:\n", check->name, origin);
	trace_print(stdout, &trace, "  ");
	printf("%s\n", s.why.text);
	snag_trace_done(&trace);
}

/* Runs the selected checks; false: one failed. */
static bool run_checks(const struct options *o, struct subject *subject, struct draft *d,
		       unsigned long number, const char *origin)
{
	struct snag_trace trace;
	struct reason why;
	uint64_t seed = o->seed ^ number << 20;
	draft_to_trace(d, &trace);
	bool ok = subject_set(subject, &trace, seed);
	for (unsigned i = 0; ok && i < NCHECKS; i++) {
		struct check *c = &checks[i];
		if (!runs(o, c) || number % c->every != 0)
			continue;
		enum outcome outcome = c->run(subject, &why);
		c->passed += outcome == PASSED;
		c->skipped += outcome == SKIPPED;
		if (outcome == FAILED) {
			report(subject, c, seed, d, origin);
			ok = false;
		}
	}
	snag_trace_done(&trace);
	return ok;
}

/* A known case: its answers, and all that holds for every trace. */
static bool run_case(const struct options *o, struct subject *subject, unsigned i)
{
	struct draft d = *cases_draft(i);
	struct snag_trace trace;
	struct reason why = {"too large"};
	draft_to_trace(&d, &trace);
	bool ok = subject_set(subject, &trace, o->seed) &&
		  check_case(subject, cases_get(i), &why) == PASSED;
	if (!ok)
		printf("cases: FAILED on \"%s\"\n%s\n", cases_get(i)->name, why.text);
	snag_trace_done(&trace);
	return ok && run_checks(o, subject, &d, 0, cases_get(i)->name);
}

static bool run_traces(const struct options *o, struct subject *s, unsigned long *ret_traces)
{
	double begin = snag_seconds_now();
	unsigned long i = 0;
	bool ok = true;
	for (; ok && i < o->traces; i++) {
		unsigned long number = o->first + i;
		struct prng random = {o->seed * 0x9e3779b97f4a7c15u + number * 0xff51afd7ed558ccdu};
		struct draft d;
		char origin[80];
		generate_draft(&o->generate, &random, &d);
		snprintf(origin, sizeof(origin), "trace %lu of seed %llu", number,
			 (unsigned long long)o->seed);
		ok = run_checks(o, s, &d, number, origin);
		if (o->seconds > 0 && i >= o->least && i % 256 == 0 &&
		    snag_seconds_now() - begin > o->seconds)
			break;
	}
	*ret_traces = i;
	return ok;
}

static bool range_parse(const char *text, unsigned low, unsigned high, struct range *ret)
{
	char rest;
	struct range r;
	int n = sscanf(text, "%u-%u%c", &r.low, &r.high, &rest);
	if (n == 1)
		r.high = r.low;
	if (n < 1 || n > 2 || r.low < low || r.high > high || r.low > r.high)
		return false;
	*ret = r;
	return true;
}

static const char usage[] =
	"usage: oracle [--traces N] [--first N] [--seed S] [--seconds T [--least N]] [--check "
	"LIST]\n"
	"              [--threads A-B] [--events A-B] [--variables A-B] [--locks A-B]\n"
	"              [--forks P] [--branches P] [--depends P] [--nested P] [--loose P]\n"
	"              [--reentrant P] [--unreleased P]\n"
	"              [--shared P] [--atomics P] [--short-lived P] [--mutants P]      P: percent "
	"of the traces\n"
	"checks: cases";

static int print_usage(FILE *to)
{
	fputs(usage, to);
	for (unsigned i = 0; i < NCHECKS; i++)
		fprintf(to, ",%s", checks[i].name);
	fputs("\n", to);
	return to == stdout ? 0 : 2;
}

enum { NUMBERS = 256, RANGES = 512 };

static bool options_parse(struct options *o, int argc, char **argv)
{
	unsigned *percent[] = {
		&o->generate.forks,	&o->generate.branches,	 &o->generate.loose,
		&o->generate.reentrant, &o->generate.unreleased, &o->generate.shared,
		&o->generate.atomics,	&o->generate.mutants,	 &o->generate.short_lived,
		&o->generate.depends,	&o->generate.nested};
	struct {
		struct range *range;
		unsigned low, high;
	} ranges[] = {{&o->generate.threads, 2, MAX_THREADS},
		      {&o->generate.events, 1, MAX_EVENTS},
		      {&o->generate.variables, 1, MAX_VARIABLES},
		      {&o->generate.locks, 0, MAX_LOCKS}};
	static const struct option longs[] = {
		{"traces", 1, NULL, 'n'},
		{"first", 1, NULL, 'f'},
		{"seed", 1, NULL, 's'},
		{"seconds", 1, NULL, 't'},
		{"least", 1, NULL, 'l'},
		{"check", 1, NULL, 'c'},
		{"forks", 1, NULL, NUMBERS + 0},
		{"branches", 1, NULL, NUMBERS + 1},
		{"loose", 1, NULL, NUMBERS + 2},
		{"reentrant", 1, NULL, NUMBERS + 3},
		{"unreleased", 1, NULL, NUMBERS + 4},
		{"shared", 1, NULL, NUMBERS + 5},
		{"atomics", 1, NULL, NUMBERS + 6},
		{"mutants", 1, NULL, NUMBERS + 7},
		{"short-lived", 1, NULL, NUMBERS + 8},
		{"depends", 1, NULL, NUMBERS + 9},
		{"nested", 1, NULL, NUMBERS + 10},
		{"threads", 1, NULL, RANGES + 0},
		{"events", 1, NULL, RANGES + 1},
		{"variables", 1, NULL, RANGES + 2},
		{"locks", 1, NULL, RANGES + 3},
		{0},
	};
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (c == 'n')
			o->traces = strtoul(optarg, NULL, 10);
		else if (c == 'f')
			o->first = strtoul(optarg, NULL, 10);
		else if (c == 's')
			o->seed = strtoull(optarg, NULL, 10);
		else if (c == 't')
			o->seconds = strtod(optarg, NULL);
		else if (c == 'l')
			o->least = strtoul(optarg, NULL, 10);
		else if (c == 'c')
			o->check = optarg;
		else if (c >= RANGES &&
			 range_parse(optarg, ranges[c - RANGES].low, ranges[c - RANGES].high,
				     ranges[c - RANGES].range))
			continue;
		else if (c >= NUMBERS && c < RANGES)
			*percent[c - NUMBERS] = (unsigned)strtoul(optarg, NULL, 10);
		else
			return false;
	}
	return optind == argc && (!o->check || are_checks(o->check));
}

int main(int argc, char **argv)
{
	struct options o = {.generate = generate_defaults, .traces = 100000, .seed = 1};
	struct subject subject;
	unsigned long traces = 0, passed = 0, ncases = 0;
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return print_usage(stdout);
	if (!options_parse(&o, argc, argv))
		return print_usage(stderr);

	/* Keep memory from trace to trace: fetching it anew would be most of the work. */
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	double begin = snag_seconds_now();
	subject_init(&subject);
	bool ok = true;
	for (unsigned i = 0; ok && is_selected(&o, "cases") && i < cases_count(); i++, ncases += ok)
		ok = run_case(&o, &subject, i);
	ok = ok && run_traces(&o, &subject, &traces);
	subject_done(&subject);

	printf("%lu traces in %.1f s\n", traces, snag_seconds_now() - begin);
	if (is_selected(&o, "cases"))
		printf("cases: %lu passed\n", ncases);
	for (unsigned i = 0; i < NCHECKS; i++) {
		if (!runs(&o, &checks[i]))
			continue;
		printf("%s: %lu passed, %lu did not apply\n", checks[i].name, checks[i].passed,
		       checks[i].skipped);
		passed += checks[i].passed;
	}
	printf("%lu passed, %d failed\n", passed + ncases, !ok);
	return ok ? 0 : 1;
}
