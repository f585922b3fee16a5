/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_main.c - the oracle of the explorer: random tiny programs, all interleavings
 *
 * For each program the explorer must give the answers of explore_brute.c: the same racy
 * variables, as many final states and computation graphs (more there cannot be, every one is
 * that of a real schedule), deadlock or not, the same places that can fail.  The first
 * difference is shrunk and printed, and ends the run with status 1.  Programs with loops, which
 * have no end of interleavings, are compared with explore_states.c instead.  Then come the
 * programs of explore_tasks.h.
 */
#include "explore_brute.h"
#include "base/clock.h"
#include "explore_program.h"
#include "explore_states.h"
#include "explore_tasks.h"

#include "lang/explore.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	unsigned long programs, too_large, racy, isolated, deadlocks, errors, several, loops,
		endless;
	unsigned long all, run, redundant; /* schedules */
};

struct context {
	unsigned long max_schedules;
	struct tally tally;
	char why[400];
};

static unsigned racy_bits(const struct snag_explored *x)
{
	unsigned bits = 0;
	for (size_t i = 0; i < x->nraces; i++)
		bits |= x->race[i].variable[0] == '@' ? BRUTE_CELLS
						      : 1u << (x->race[i].variable[0] - 'x');
	return bits;
}

static bool same_errors(const struct snag_explored *x, const struct brute *b)
{
	bool same = x->nerrors == b->nerrors;
	for (size_t i = 0; i < x->nerrors && same; i++) {
		bool found = false;
		for (size_t j = 0; j < b->nerrors; j++)
			found |= b->error[j] == x->error[i].loc;
		same = found;
	}
	return same;
}

static bool same_answers(const struct snag_explored *x, const struct brute *b)
{
	return x->exhaustive && racy_bits(x) == b->racy && x->final_states == b->final_states &&
	       x->graphs == b->graphs && (x->deadlock.n > 0) == b->deadlock && same_errors(x, b) &&
	       x->deterministic == (b->final_states == 1 && b->structures == 1) &&
	       (!x->confirmed || (x->same_memory && x->same_graph));
}

static void count(struct tally *t, const struct snag_explored *x, const struct brute *b,
		  const char *text)
{
	t->racy += b->racy != 0;
	t->isolated += strstr(text, "isolated") != NULL;
	t->deadlocks += b->deadlock;
	t->errors += b->nerrors > 0;
	t->several += b->final_states > 1;
	t->all += b->schedules;
	t->run += x->schedules;
	t->redundant += x->redundant;
}

/* Programs with loops: what can be told from the graph of their states. */
static bool states_fail(const struct snag_program *program, struct context *c)
{
	struct states s;
	struct snag_explored x;
	states_explore(program, &s);
	snag_explore(program, &(struct snag_explore_options){.schedules = 300, .steps = 1000}, &x);
	bool applies = s.is_exact && x.exhaustive;
	bool ok = !applies ||
		  ((x.deadlock.n > 0) == s.deadlock &&
		   (s.error || (x.endless.n > 0) == s.endless) && (s.racy & ~racy_bits(&x)) == 0 &&
		   (x.nerrors > 0) == s.error && (s.endless || x.final_states == s.final_states));
	c->tally.too_large += !applies;
	c->tally.endless += applies && s.endless;
	c->tally.loops += applies;
	snprintf(c->why, sizeof(c->why),
		 "          racy %8s  final states  deadlock  endless  error\n"
		 "truth     %13x %13zu %9d %8d %6d  (%zu states)\n"
		 "explored  %13x %13llu %9d %8d %6d",
		 "", s.racy, s.final_states, s.deadlock, s.endless, s.error, s.nstates,
		 racy_bits(&x), (unsigned long long)x.final_states, x.deadlock.n > 0,
		 x.endless.n > 0, x.nerrors > 0);
	snag_explored_done(&x);
	return !ok;
}

static bool fails(const struct explore_program *p, void *ctx)
{
	struct context *c = ctx;
	char text[EXPLORE_TEXT];
	struct snag_program *program;
	struct snag_error err;
	struct snag_explored x;
	struct brute b;
	explore_program_print(p, text);
	c->tally.programs++;
	if (snag_program_parse("random", text, strlen(text), &program, &err) < 0) {
		snprintf(c->why, sizeof(c->why), "%.300s", err.msg);
		return true;
	}
	if (strstr(text, "while")) {
		bool failed = states_fail(program, c);
		snag_program_free(program);
		return failed;
	}
	brute_explore(program, c->max_schedules, &b);
	if (!b.is_exact) {
		c->tally.too_large++;
		snag_program_free(program);
		return false;
	}
	snag_explore(program, &(struct snag_explore_options){0}, &x);
	bool ok = same_answers(&x, &b);
	count(&c->tally, &x, &b, text);
	snprintf(c->why, sizeof(c->why),
		 "          racy %8s  states  graphs  deadlock  errors  schedules\n"
		 "truth     %13x %7zu %7zu %9d %7zu %10lu\n"
		 "explored  %13x %7llu %7llu %9d %7zu %10llu%s",
		 "", b.racy, b.final_states, b.graphs, b.deadlock, b.nerrors, b.schedules,
		 racy_bits(&x), (unsigned long long)x.final_states, (unsigned long long)x.graphs,
		 x.deadlock.n > 0, x.nerrors, (unsigned long long)x.schedules,
		 x.exhaustive ? "" : " (not exhaustive)");
	snag_explored_done(&x);
	snag_program_free(program);
	return !ok;
}

static void report(struct explore_program *p, struct context *c, unsigned long number)
{
	char text[EXPLORE_TEXT];
	explore_program_shrink(p, fails, c);
	fails(p, c);
	explore_program_print(p, text);
	printf("FAILED on program %lu, shrunk to:\n%s%s\n", number, text, c->why);
}

struct options {
	unsigned long programs, first;
	uint64_t seed;
	double seconds; /* for programs with data; 0: no limit */
	unsigned size;
	bool tasks; /* programs without data as well */
};

static bool run(const struct options *o, struct context *c)
{
	double begin = snag_seconds_now();
	for (unsigned long i = 0; i < o->programs; i++) {
		unsigned long number = o->first + i;
		struct prng random = {o->seed * 0x9e3779b97f4a7c15u + number * 0xff51afd7ed558ccdu};
		struct explore_features f = {.size = prng_range(&random, 3, o->size),
					     .isolated = prng_chance(&random, 70),
					     .promises = prng_chance(&random, 40),
					     .spawn = prng_chance(&random, 20),
					     .branches = prng_chance(&random, 70),
					     .cells = prng_chance(&random, 20),
					     .loops = prng_chance(&random, 20),
					     .handout = prng_chance(&random, 15)};
		f.cells &= !f.loops;
		struct explore_program p;
		explore_program_random(&p, &f, &random);
		if (fails(&p, c)) {
			report(&p, c, number);
			return false;
		}
		if (o->seconds > 0 && snag_seconds_now() - begin > o->seconds)
			break;
	}
	return true;
}

static bool run_tasks(const struct options *o)
{
	struct explore_tasks_tally t = {0};
	bool ok = true;
	for (unsigned long i = 0; i < o->programs && ok; i++) {
		struct prng random = {o->seed * 0xff51afd7ed558ccdu +
				      (o->first + i) * 0x9e3779b97f4a7c15u};
		ok = explore_tasks_check(&random, &t);
	}
	printf("without data: racy %lu, isolated %lu, blocked %lu, deadlock %lu, not exhaustive "
	       "%lu; %lu verdicts race-free\n",
	       t.racy, t.isolated, t.blocked, t.deadlocks, t.not_exhaustive, t.race_free);
	printf("explore-tasks: %lu passed, 0 did not apply\n", t.programs - !ok);
	return ok;
}

static int usage(void)
{
	fputs("usage: explore_oracle [--programs N] [--first N] [--seed S] [--seconds T] "
	      "[--size N] [--max SCHEDULES] [--data-only]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"programs", 1, NULL, 'n'}, {"traces", 1, NULL, 'n'},	 {"first", 1, NULL, 'f'},
		{"seed", 1, NULL, 's'},	    {"seconds", 1, NULL, 't'},	 {"size", 1, NULL, 'z'},
		{"max", 1, NULL, 'm'},	    {"data-only", 0, NULL, 'd'}, {0},
	};
	struct options o = {.programs = 10000, .seed = 1, .size = 12, .tasks = true};
	struct context c = {.max_schedules = 3000};
	for (int k; (k = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (k == 'n')
			o.programs = strtoul(optarg, NULL, 10);
		else if (k == 'f')
			o.first = strtoul(optarg, NULL, 10);
		else if (k == 's')
			o.seed = strtoull(optarg, NULL, 10);
		else if (k == 't')
			o.seconds = strtod(optarg, NULL);
		else if (k == 'z')
			o.size = (unsigned)strtoul(optarg, NULL, 10);
		else if (k == 'm')
			c.max_schedules = strtoul(optarg, NULL, 10);
		else if (k == 'd')
			o.tasks = false;
		else
			return usage();
	}
	if (o.size < 3 || optind != argc)
		return usage();
	double begin = snag_seconds_now();
	bool ok = run(&o, &c);
	const struct tally *t = &c.tally;
	printf("racy %lu, isolated %lu, deadlock %lu, errors %lu, several final states %lu, "
	       "loops %lu, endless %lu\n",
	       t->racy, t->isolated, t->deadlocks, t->errors, t->several, t->loops, t->endless);
	printf("schedules: all %lu, explored %lu, redundant %lu; %.1f s\n", t->all, t->run,
	       t->redundant, snag_seconds_now() - begin);
	printf("explore: %lu passed, %lu did not apply\n", t->programs - t->too_large - !ok,
	       t->too_large);
	ok = ok && (!o.tasks || run_tasks(&o));
	return ok ? 0 : 1;
}
