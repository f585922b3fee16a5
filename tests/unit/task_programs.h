/* SPDX-License-Identifier: Apache-2.0
 *
 * task_programs.h - small random programs of tasks, for the tests of who runs them
 *
 * A program is a list of statements with lists inside.  Promises are set by number; a set
 * of one that is set does nothing.  The outermost list sets much and seldom waits, so
 * that a good part of the programs comes to its end.
 */
#ifndef SNAG_TESTS_TASK_PROGRAMS_H
#define SNAG_TESTS_TASK_PROGRAMS_H

#include "bench/random.h"

#include <stddef.h>

enum { PROMISES = 4, DEPTH = 5, MAX_STMTS = 400 };

enum kind { ASYNC, SPAWN, FINISH, FRAME, SYNC, SET, GET, ISOLATED, KINDS };

struct stmt {
	enum kind kind;
	uint32_t promise;  /* SET, GET */
	struct stmt *body; /* ASYNC, SPAWN, FINISH, FRAME: the first of a list */
	struct stmt *next;
};

static struct stmt stmts[MAX_STMTS];
static size_t nstmts;
static struct snag_random rng;

static struct stmt *block_random(int depth)
{
	static const uint8_t likely[] = {ASYNC, ASYNC, ASYNC, SPAWN, SPAWN, FINISH, FRAME,   SYNC,
					 SET,	SET,   GET,   GET,   GET,   GET,    ISOLATED};
	struct stmt *first = NULL, **to = &first;
	bool is_outermost = depth == DEPTH; /* sets what others wait for, and seldom waits */
	uint32_t n = snag_random_below(&rng, 6) + (is_outermost ? 6 : 0);
	for (; n > 0 && nstmts < MAX_STMTS; n--) {
		struct stmt *s = &stmts[nstmts++];
		*s = (struct stmt){.kind = likely[snag_random_below(&rng, sizeof(likely))],
				   .promise = snag_random_below(&rng, PROMISES)};
		if (is_outermost && s->kind == GET && snag_random_below(&rng, 8))
			s->kind = SET;
		if (depth == 0 && s->kind <= FRAME)
			s->kind = GET;
		if (s->kind <= FRAME)
			s->body = block_random(depth - 1);
		*to = s;
		to = &s->next;
	}
	return first;
}

#endif
