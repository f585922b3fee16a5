/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_main.c - the oracle of the explorer: random tiny programs, all interleavings
 *
 * For each program the explorer must give the answers of explore_brute.c: the same racy
 * variables, as many final states and computation graphs (more there cannot be, every one is
 * that of a real schedule), deadlock or not, the same places that can fail.  The first
 * difference is shrunk and printed, and ends the run with status 1.  Then the programs of
 * explore_tasks.h.
 */
#include "explore_brute.h"
#include "explore_program.h"
#include "explore_tasks.h"

#include "lang/explore.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tally {
	unsigned long programs, too_large, racy, isolated, deadlocks, errors, several;
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
	       x->deterministic == (b->final_states == 1) &&
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

static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static bool run(unsigned long programs, uint64_t seed, double seconds, unsigned size,
		struct context *c)
{
	double begin = now();
	for (unsigned long i = 0; i < programs; i++) {
		struct prng random = {seed * 0x9e3779b97f4a7c15u + i * 0xff51afd7ed558ccdu};
		struct explore_features f = {.size = prng_range(&random, 3, size),
					     .isolated = prng_chance(&random, 70),
					     .promises = prng_chance(&random, 40),
					     .spawn = prng_chance(&random, 20),
					     .branches = prng_chance(&random, 70),
					     .cells = prng_chance(&random, 20)};
		struct explore_program p;
		explore_program_random(&p, &f, &random);
		if (fails(&p, c)) {
			report(&p, c, i);
			return false;
		}
		if (seconds > 0 && now() - begin > seconds)
			break;
	}
	return true;
}

static bool run_tasks(unsigned long programs, uint64_t seed)
{
	struct explore_tasks_tally t = {0};
	bool ok = true;
	for (unsigned long i = 0; i < programs && ok; i++) {
		struct prng random = {seed * 0xff51afd7ed558ccdu + i * 0x9e3779b97f4a7c15u};
		ok = explore_tasks_check(&random, &t);
	}
	printf("%lu programs without data: racy %lu, isolated %lu, blocked %lu, deadlock %lu, "
	       "not exhaustive %lu; %lu verdicts race-free\n",
	       t.programs, t.racy, t.isolated, t.blocked, t.deadlocks, t.not_exhaustive,
	       t.race_free);
	return ok;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"programs", 1, NULL, 'n'},
		{"seed", 1, NULL, 's'},
		{"seconds", 1, NULL, 't'},
		{"size", 1, NULL, 'z'},
		{"max", 1, NULL, 'm'},
		{"tasks", 1, NULL, 'k'},
		{0},
	};
	unsigned long programs = 10000, tasks = 10000;
	uint64_t seed = 1;
	double seconds = 0;
	unsigned size = 12;
	struct context c = {.max_schedules = 5000};
	for (int o; (o = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (o == 'n')
			programs = strtoul(optarg, NULL, 10);
		else if (o == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (o == 't')
			seconds = strtod(optarg, NULL);
		else if (o == 'z')
			size = (unsigned)strtoul(optarg, NULL, 10);
		else if (o == 'k')
			tasks = strtoul(optarg, NULL, 10);
		else if (o == 'm')
			c.max_schedules = strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	if (size < 3 || optind != argc) {
		fputs("usage: explore_oracle [--programs N] [--tasks N] [--seed S] [--seconds T] "
		      "[--size N] "
		      "[--max SCHEDULES]\n",
		      stderr);
		return 2;
	}
	double begin = now();
	bool ok = run(programs, seed, seconds, size, &c);
	const struct tally *t = &c.tally;
	printf("%lu programs in %.1f s, %lu of them too large for all interleavings\n", t->programs,
	       now() - begin, t->too_large);
	printf("racy %lu, isolated %lu, deadlock %lu, errors %lu, several final states %lu\n",
	       t->racy, t->isolated, t->deadlocks, t->errors, t->several);
	printf("schedules: all %lu, explored %lu, redundant %lu\n", t->all, t->run, t->redundant);
	ok = ok && run_tasks(tasks, seed);
	return ok ? 0 : 1;
}
