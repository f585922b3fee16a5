/* SPDX-License-Identifier: Apache-2.0
 *
 * zipper.h - the state of a walk of zipper.c, and its steps as rows
 */
#ifndef SNAG_DETECT_ZIPPER_H
#define SNAG_DETECT_ZIPPER_H

#include "detect/tasks/graph.h"

#define SNAG_ZIPPER_NO_BLOCK UINT32_MAX

struct snag_zipper_set {     /* of steps, linked by zipper.next; each is in one set at most */
	uint32_t head, tail; /* + 1; 0: empty */
};

struct snag_zipper_branch {
	struct snag_zipper_set pending;
	uint32_t slider; /* 0: none */
	uint32_t first;	 /* or SNAG_ZIPPER_NO_BLOCK */
};

struct snag_zipper_fork {
	struct snag_zipper_branch outer, a; /* as they were at the fork, and at the end of A */
	uint32_t blocks;		    /* passed before the fork */
};

struct snag_zipper_bag {
	struct snag_zipper_set pending;
	uint32_t begin, end; /* of its blocks in `passed` */
};

/* By variable: the step + 1 that reads it, writes it, has a race with it. */
struct snag_zipper_marks {
	uint32_t read, write, race;
};

struct snag_zipper {
	struct snag_graph *graph;
	bool is_up;
	uint32_t *next;
	struct snag_zipper_set *zipper;
	uint32_t *passed; /* the blocks in the order of the walk */
	uint32_t npassed;
	struct snag_zipper_branch branch; /* the one we are in */
	struct snag_zipper_fork *fork;
	struct snag_zipper_bag *bag;
	size_t nforks, nbags, fork_cap, bag_cap;

	uint32_t *begin, *index; /* accesses by step */
	struct snag_zipper_marks *marks;
	uint32_t *found; /* all n', */
	size_t nfound, found_cap;
	size_t *found_begin, *found_end; /* by step: the range of its races */
	uint32_t *stamp;		 /* by step: the n + 1 it was last found for */

	/* For rows: the pairs of the present step that this walk leaves. */
	uint32_t *left;
	size_t nleft, left_cap;
	struct snag_zipper_rows *rows; /* NULL: not wanted */
};

/* zipper_rows.c: what a walk has done, after a step of the graph (`step`), a fork, a turn or a join
 * (`what`).  NULL rows: nothing happens. */
struct snag_zipper_rows *snag_zipper_rows_new(const struct snag_zipper *z);
void snag_zipper_rows_free(struct snag_zipper_rows *r); /* accepts NULL */
void snag_zipper_row_step(const struct snag_zipper *z, uint32_t step);
void snag_zipper_row_at(const struct snag_zipper *z, const char *what);

#endif
