/* SPDX-License-Identifier: Apache-2.0
 *
 * naming.h - what programmers call the variables and locks of a report
 *
 * Idea.   A trace names memory by its place: `S+8`, `heap#3+16`.  The debug information of the
 *         modules has the types.  For a global, its type gives the member: `S.hits`.  For a heap
 *         block, the types of the expressions in the line of an access tell which of them it is:
 *         `pool->exit`.  If none fits, the line that allocated the block tells the type, by the
 *         variable it assigns, by `new T` or by `sizeof(T)`.
 * Rules.  [checked]  A name is only given if the type has a part of the access's size at its
 *                    offset, and the type's size fits the block.
 *         [same]     Debug information is only used if it gives the access the line that the
 *                    report has.  So a program that was rebuilt since gives no wrong names.
 * Cost.   Only reports are named.  Each module they touch is opened once.
 */
#ifndef SNAG_REPORT_NAMING_H
#define SNAG_REPORT_NAMING_H

#include "trace/callstack.h"
#include "trace/race.h"

struct snag_naming;
struct snag_naming *snag_naming_new(const struct snag_names *names); /* `names` is borrowed */
void snag_naming_free(struct snag_naming *naming);		     /* accepts NULL */

struct snag_variable_name { /* texts of the caller's; "": unknown */
	char name[200];	    /* "S.hits", "pool->exit"; of a type only: "struct pool.exit" */
	char type[120];	    /* heap: of the object, "struct pool" */
	char field[160];    /* heap: in the type, "exit", "slot[2].next" */
};

/* Names the variable of an access by a function of the stack. */
bool snag_naming_variable(struct snag_naming *naming, const char *variable, unsigned size,
			  const struct snag_callstack *stack, struct snag_variable_name *ret);
/* Names a lock; `stack` says in which module a global lies. */
bool snag_naming_lock(struct snag_naming *naming, const char *lock,
		      const struct snag_callstack *stack, struct snag_variable_name *ret);

#endif
