/* SPDX-License-Identifier: Apache-2.0
 *
 * check_deadlock.h - do these threads wait for each other?
 *
 * For the checker of witnesses alone (check.c): apart from every analysis.
 */
#ifndef SNAG_WITNESS_CHECK_DEADLOCK_H
#define SNAG_WITNESS_CHECK_DEADLOCK_H

#include "witness/witness.h"

/* After the first done[t] events of each thread: 0 if the requests of the witness are a deadlock.
 * Otherwise SNAG_EINPUT, and err says which request is wrong. */
int snag_check_deadlock(const struct snag_trace *trace, const struct snag_witness *w,
			const uint32_t *done, struct snag_error *err);

#endif
