/* SPDX-License-Identifier: Apache-2.0
 *
 * task_main.c - the oracle of tasks: random programs, and what detectors must say of them
 *
 * Each program is made from the seed and its number alone: half are random, half are the
 * known cases changed, over and over; half of all have accesses that race by one pair only, or
 * none.  The first failure is shrunk and printed, and ends the
 * run with status 1.
 */
#include "detect/tasks/drdp.h"
#include "task_check.h"
#include "task_truth.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const struct known {
	uint32_t racy;
	const char *text;
} known[] = {
#define CASE(racy, text) {racy, text},
#include "task_cases.def"
#undef CASE
};

enum { NKNOWN = sizeof(known) / sizeof(known[0]) };

struct options {
	unsigned long programs, first;
	uint64_t seed;
	const char *check;
	bool print; /* the programs, in the language of `snag task` */
};

struct totals {
	unsigned long programs, blocked, reblocked, deadlocks, racy;
};

/* One run of a program: everything needed to do it again. */
struct trial {
	struct task_features features;
	enum task_policy policy;
	uint64_t seed;
	const char *check;
	struct task_reason why;
};

static bool fails(const struct task_program *p, void *ctx)
{
	struct trial *t = ctx;
	struct prng random = {.state = t->seed};
	struct task_run run;
	task_run(&run, p, t->policy, &random);
	bool ok = task_check_all(p, &run, t->check, &t->why);
	task_run_done(&run);
	return !ok;
}

static const struct task_features everything = {.async = true,
						.finish = true,
						.isolated = true,
						.spawn = true,
						.promises = true,
						.leaks = true,
						.locks = true,
						.atomics = true};

static void features_random(struct task_features *f, struct prng *random)
{
	unsigned what = prng_below(random, 8);
	*f = everything;
	f->leaks = prng_chance(random, 30);
	f->promises = what < 5;
	f->spawn = what == 0 || what == 4 || what >= 6;
	f->isolated = prng_chance(random, 25);
	f->locks = prng_chance(random, 30);
	f->atomics = prng_chance(random, 20);
	if (what == 7)
		f->finish = f->isolated = f->locks = f->atomics = false;
}

static void program_make(struct task_program *p, struct trial *t, struct prng *random)
{
	features_random(&t->features, random);
	if (prng_chance(random, 50)) {
		task_program_random(p, &t->features, random);
	} else {
		task_program_parse(p, known[prng_below(random, NKNOWN)].text);
		task_program_repair(p, &t->features);
		for (unsigned i = prng_below(random, 6); i > 0; i--)
			task_program_mutate(p, &t->features, random);
	}
	if (prng_chance(random, 50))
		task_program_readers(p, random);
	if (prng_chance(random, 90)) /* or a deadlock */
		task_program_drop_gets(p);
	t->policy = t->features.promises ? prng_below(random, TASK_POLICIES) : TASK_DEPTH_FIRST;
	if (prng_chance(random, 20))
		t->policy = TASK_RANDOM;
	t->seed = prng_next(random);
}

static int report(struct task_program *p, struct trial *t, unsigned long number)
{
	task_program_shrink(p, &t->features, fails, t);
	fails(p, t);
	printf("program %lu fails: %s\npolicy %d, smallest program:\n", number, t->why.text,
	       t->policy);
	task_program_print(p, stdout);
	return 1;
}

/* The oracle's own answers on the known cases. */
static int known_check(const struct options *o)
{
	for (unsigned i = 0; i < NKNOWN; i++) {
		static struct task_truth truth;
		struct trial t = {.features = everything, .check = o->check};
		struct task_program p;
		struct task_run run;
		if (!task_program_parse(&p, known[i].text)) {
			printf("case %u is not a program: %s\n", i, known[i].text);
			return 1;
		}
		task_run(&run, &p, TASK_DEPTH_FIRST, NULL);
		task_truth(&truth, &run.trace, false);
		bool ok = truth.racy == known[i].racy;
		task_run_done(&run);
		if (!ok) {
			printf("case %u: racy variables are %x: %s\n", i, truth.racy,
			       known[i].text);
			return 1;
		}
		if (fails(&p, &t))
			return report(&p, &t, i);
	}
	return 0;
}

static int program_check(const struct options *o, unsigned long number, struct totals *totals)
{
	struct prng random = {.state = o->seed * 0x9e3779b97f4a7c15u + number};
	struct trial t = {.check = o->check};
	struct task_program p;
	struct task_run run;
	prng_next(&random);
	snag_drdp_retire_from = number % 4 ? 1 : UINT32_MAX; /* mostly as often as can be */
	program_make(&p, &t, &random);
	if (o->print)
		task_program_print_lang(&p, stdout);
	struct prng again = {.state = t.seed};
	task_run(&run, &p, t.policy, &again);
	bool ok = task_check_all(&p, &run, o->check, &t.why);
	totals->programs++;
	totals->blocked += run.blocked > 0;
	totals->reblocked += run.reblocked > 0;
	totals->deadlocks += run.deadlock;
	task_run_done(&run);
	return ok ? 0 : report(&p, &t, number);
}

static void usage(void)
{
	fputs("usage: task_oracle [--programs N] [--first N] [--seed N] [--check LIST] [--print]\n",
	      stderr);
	exit(2);
}

static void options_parse(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {{"programs", required_argument, NULL, 'n'},
					      {"traces", required_argument, NULL, 'n'},
					      {"first", required_argument, NULL, 'f'},
					      {"seed", required_argument, NULL, 's'},
					      {"check", required_argument, NULL, 'c'},
					      {"print", no_argument, NULL, 'p'},
					      {0}};
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (c == 'n')
			o->programs = strtoul(optarg, NULL, 10);
		else if (c == 'f')
			o->first = strtoul(optarg, NULL, 10);
		else if (c == 's')
			o->seed = strtoull(optarg, NULL, 10);
		else if (c == 'c')
			o->check = optarg;
		else if (c == 'p')
			o->print = true;
		else
			usage();
	}
	if (optind < argc)
		usage();
}

int main(int argc, char **argv)
{
	struct options o = {.programs = 20000, .seed = 1};
	struct totals totals = {0};
	options_parse(&o, argc, argv);
	int failed = known_check(&o);
	for (unsigned long i = 0; i < o.programs && !failed; i++)
		failed = program_check(&o, o.first + i, &totals);
	if (o.print)
		return failed;
	for (const struct task_check *c = task_checks; c->name; c++)
		printf("%s: %lu passed, %lu did not apply\n", c->name, c->passed, c->skipped);
	printf("programs: %lu, with tasks that blocked and went on: %lu, in a get again: %lu, "
	       "deadlocks: %lu\n",
	       totals.programs, totals.blocked, totals.reblocked, totals.deadlocks);
	return failed;
}
