/* SPDX-License-Identifier: Apache-2.0
 *
 * task_program.h - small task-parallel programs for the oracle
 *
 * A program is a sequence of tokens: statements, and blocks that begin with a token of
 * their kind and end with T_END.  It has no control flow and no data, so that all runs
 * execute the same statements; what differs is their order.  As text:
 *
 *   async{ set p0; w x1 } get p0; r x1; finish{ } isolated{ } spawn{ } sync; call{ }
 *   ar x0; aw x0 (atomic); lock m0{ } share m1{ }
 *
 * A program is sound if blocks are balanced, isolated blocks contain accesses only, and
 * every promise is set at most once.  Random ones, and changed ones, always are.
 */
#ifndef ORACLE_TASK_PROGRAM_H
#define ORACLE_TASK_PROGRAM_H

#include "prng.h"

#include <stddef.h>
#include <stdio.h>

enum task_token_kind {
	T_READ,
	T_WRITE,
	T_ATOMIC_READ,
	T_ATOMIC_WRITE,
	T_SET,
	T_GET,
	T_SYNC,
	T_ASYNC,
	T_SPAWN,
	T_FINISH,
	T_ISOLATED,
	T_CALL, /* of a procedure that is called only here */
	T_LOCK,
	T_SHARE, /* a lock held together with others that share it */
	T_END,
	T_KINDS
};

enum { TASK_TOKENS = 96, TASK_VARIABLES = 8, TASK_PROMISES = 6, TASK_LOCKS = 3 };

struct task_token {
	uint8_t kind;
	uint8_t arg; /* the variable, promise or lock */
};

struct task_program {
	struct task_token token[TASK_TOKENS];
	unsigned n;
};

/* What random programs may contain. */
struct task_features {
	bool async, finish, isolated, spawn, promises;
	bool leaks; /* procedures and tasks may end without a sync */
	bool locks, atomics;
};

bool task_token_is_block(struct task_token t);
bool task_token_is_access(struct task_token t);
/* How many things there are that its argument names; 0: it has none. */
unsigned task_token_args(enum task_token_kind kind);
/* The T_END of the block that begins at `open`. */
unsigned task_program_close(const struct task_program *p, unsigned open);
/* Where the block begins that the T_END at `close` ends. */
unsigned task_program_open(const struct task_program *p, unsigned close);
bool task_program_has(const struct task_program *p, enum task_token_kind kind);

/* Makes it sound, by removing as little as possible; without leaks, adds what is missing. */
void task_program_repair(struct task_program *p, const struct task_features *features);

void task_program_random(struct task_program *p, const struct task_features *features,
			 struct prng *random);
/* Puts other accesses in place of its own: of each variable a write and few reads, of one perhaps
 * many.  It races if one of these is parallel to the write: a detector must not forget that one. */
void task_program_readers(struct task_program *p, struct prng *random);
/* Removes gets of promises that are never set. */
void task_program_drop_gets(struct task_program *p);
/* One to four small changes. */
void task_program_mutate(struct task_program *p, const struct task_features *features,
			 struct prng *random);
/* Removes what can be removed so that `fails` remains true. */
void task_program_shrink(struct task_program *p, const struct task_features *features,
			 bool (*fails)(const struct task_program *p, void *ctx), void *ctx);

/* The text above; false: it is not a program. */
bool task_program_parse(struct task_program *p, const char *text);
void task_program_print(const struct task_program *p, FILE *to);
/* The same in the language of `snag task`. */
void task_program_print_lang(const struct task_program *p, FILE *to);

#endif
