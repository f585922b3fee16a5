/* SPDX-License-Identifier: Apache-2.0
 *
 * check_freed.h - does this access come behind the end of its memory?
 *
 * For the checker of witnesses alone (check.c): apart from every analysis.
 */
#ifndef SNAG_WITNESS_CHECK_FREED_H
#define SNAG_WITNESS_CHECK_FREED_H

#include "witness/witness.h"

/* step[i] is the step of the replay at which w->freed[i] happened, or SIZE_MAX; nsteps is their
 * number.  Returns 0 if the second one uses freed memory.  Otherwise SNAG_EINPUT, and err says
 * which rule is broken. */
int snag_check_freed(const struct snag_trace *trace, const struct snag_witness *w,
		     const size_t step[2], size_t nsteps, struct snag_error *err);

#endif
