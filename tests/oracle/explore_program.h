/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_program.h - tiny programs with data and branches, for the oracle of the explorer
 *
 * A program is a sequence of tokens: statements, and blocks that begin with a token of their
 * kind and end with E_END.  Unlike the programs of task_program.h these compute: what
 * a task does can depend on what it reads.  A program is sound if its blocks are balanced and
 * isolated blocks contain accesses only; random ones, and shrunk ones, always are.
 */
#ifndef ORACLE_EXPLORE_PROGRAM_H
#define ORACLE_EXPLORE_PROGRAM_H

#include "prng.h"

#include <stddef.h>

enum explore_token_kind {
	E_READ,	 /* let v = x; */
	E_WRITE, /* x = 1; */
	E_ADD,	 /* x = 2 * y + 1; */
	E_SUM,	 /* x = x + 1; */
	E_ALLOC, /* x = alloc; */
	E_STORE, /* *x = 1;  fails if x holds no cell */
	E_SET,	 /* set p; */
	E_GET,	 /* get p; */
	E_SYNC,	 /* sync; */
	E_IF,	 /* if (x == 1) */
	E_WHILE, /* while (x == 1), outside of isolated */
	E_ASYNC, /* blocks */
	E_SPAWN,
	E_FINISH,
	E_ISOLATED,
	E_END,
	E_KINDS
};

enum { EXPLORE_TOKENS = 40, EXPLORE_VARIABLES = 3, EXPLORE_PROMISES = 2, EXPLORE_TEXT = 4000 };

struct explore_token {
	uint8_t kind;
	uint8_t x, y; /* variables, or a promise */
	uint8_t k;    /* a constant */
};

struct explore_program {
	struct explore_token token[EXPLORE_TOKENS];
	unsigned n;
};

/* What random programs may contain, in percent. */
struct explore_features {
	unsigned size; /* statements, about */
	bool isolated, promises, spawn, branches, cells, loops;
	bool handout; /* nothing but tasks of one isolated block, and accesses of main */
};

void explore_program_random(struct explore_program *p, const struct explore_features *features,
			    struct prng *random);
/* Removes what can be removed so that `fails` remains true. */
void explore_program_shrink(struct explore_program *p,
			    bool (*fails)(const struct explore_program *p, void *ctx), void *ctx);
/* In the language of `snag task`, one statement per line. */
void explore_program_print(const struct explore_program *p, char ret_text[EXPLORE_TEXT]);

#endif
