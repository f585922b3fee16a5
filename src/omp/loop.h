/* SPDX-License-Identifier: Apache-2.0
 *
 * loop.h - loops of a team: their schedules, chunks and iterations (core.h)
 */
#ifndef SNAG_OMP_LOOP_H
#define SNAG_OMP_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_lockstep;
struct mp_task;
struct mp_team;

/* The schedule of a loop, as far as it matters here. */
struct mp_schedule {
	uint64_t chunk; /* iterations that stay together; 0: the program gives none */
	bool is_static, is_nowait, is_ordered, is_sections;
	bool is_scan;  /* one thread has all iterations, in order */
	uint64_t safe; /* simd: the most iterations that are parallel; 0: any number */
};

/* snag cc rewrites schedules so that the runtime sees every chunk: to dynamic, with the rest in
 * the chunk size (marks.def).  Takes any chunk size. */
struct mp_schedule mp_schedule_decode(uint64_t chunk);

void mp_loop_begin(uint64_t count, struct mp_schedule schedule);
bool mp_loop_next(uint64_t *ret_from, uint64_t *ret_n); /* Returns false if the loop has ended. */
/* Call it also if the loop has not ended. */
void mp_loop_end(void);
void *mp_loop_common(size_t nbytes);	/* memory that its threads share */
void mp_loop_cancel(struct mp_task *t); /* cancels the loop for all threads of the team */
bool mp_loop_is_cancelled(const struct mp_task *t);
void mp_loops_free(struct mp_team *team); /* frees the loops of a team when it ends */
bool mp_loop_is_last(void);		  /* the chunk has the last iteration */
/* For a loop that the compiler runs by itself: returns which of *ret_n blocks the calling thread
 * executes; negative: none. */
int mp_loop_block(int *ret_n);
/* Called before and after each iteration of a loop that the compiler runs by itself; returns
 * whether this is before. */
bool mp_iteration(void);
void mp_iteration_leave(struct mp_task *t); /* The program cancelled the iteration's loop. */
/* Returns the state of a team whose loops are simd. The caller frees it. */
struct mp_lockstep *mp_lockstep_new(void);    /* NULL: no detector needs it */
void mp_lockstep_free(struct mp_lockstep *l); /* accepts NULL */
/* A loop begins. Returns whether the caller must report its iterations. */
bool mp_lockstep_loop(struct mp_lockstep *l, uint64_t safe);
void mp_lockstep_iteration(struct mp_lockstep *l, bool begins);
void mp_lockstep_statement(struct mp_lockstep *l, unsigned number); /* A statement has ended. */

void mp_ordered_begin(void);
void mp_ordered_end(void);
void mp_doacross_begin(unsigned ndims, const int64_t *lower, const int64_t *upper,
		       const int64_t *stride);
void mp_doacross_post(const int64_t *at);
void mp_doacross_wait(const int64_t *at);
void mp_doacross_end(void);
unsigned mp_doacross_dims(void);

#endif
