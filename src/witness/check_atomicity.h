/* SPDX-License-Identifier: Apache-2.0
 *
 * check_atomicity.h - does a write of another thread come between these two accesses?
 *
 * For the checker of witnesses alone (check.c): apart from every analysis.
 */
#ifndef SNAG_WITNESS_CHECK_ATOMICITY_H
#define SNAG_WITNESS_CHECK_ATOMICITY_H

#include "witness/witness.h"

/* step[i] is the step of the replay at which w->unit[i] happened, or SIZE_MAX; nsteps is their
 * number.  Returns 0 if they are a broken atomicity.  Otherwise SNAG_EINPUT, and err says which
 * rule is broken. */
int snag_check_atomicity(const struct snag_trace *trace, const struct snag_witness *w,
			 const size_t step[3], size_t nsteps, struct snag_error *err);

#endif
