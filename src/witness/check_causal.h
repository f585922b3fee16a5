/* SPDX-License-Identifier: Apache-2.0
 *
 * check_causal.h - which reads of a witness must keep their writer, for the checker
 *
 * Rules.  [causal] and [depends] of check.c.
 */
#ifndef SNAG_WITNESS_CHECK_CAUSAL_H
#define SNAG_WITNESS_CHECK_CAUSAL_H

#include "trace/trace.h"

#include <stdbool.h>

/* Flags of an event of the witness; other events have none of these. */
enum {
	SNAG_CAUSAL_IN = 1,    /* it is in the witness */
	SNAG_CAUSAL_NAMES = 2, /* a branch that depends on some reads only */
	SNAG_CAUSAL_SEEN = 4,  /* a write that a causal read saw */
	SNAG_CAUSAL_KEEPS = 8, /* a read that keeps its writer */
};

struct snag_causal {
	const struct snag_trace *trace;
	uint8_t *flags;	     /* by event; the caller sets SNAG_CAUSAL_IN */
	const uint32_t *saw; /* by event of the witness: the write that it saw in the trace */
};

/* Sets the other flags.  has_depends: the trace has DEPENDS events. */
void snag_causal_choose(const struct snag_causal *c, bool has_depends, bool is_literal);

#endif
