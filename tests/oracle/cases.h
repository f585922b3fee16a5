/* SPDX-License-Identifier: Apache-2.0
 *
 * cases.h - traces with known answers
 */
#ifndef ORACLE_CASES_H
#define ORACLE_CASES_H

#include "draft.h"
#include "relation.h"

/* Races are written "3-8 4-9", none as ""; NULL: not stated. */
struct known_case {
	const char *name;
	const char *trace; /* as draft_parse() reads it */
	const char *races[RELATIONS];
	const char *reads, *dependence, *literal; /* predictable races by each definition */
	bool has_deadlock;			  /* a predictable deadlock, by READS */
};

unsigned cases_count(void);
const struct known_case *cases_get(unsigned i);
const struct draft *cases_draft(unsigned i);

#endif
