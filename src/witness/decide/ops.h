/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.h - what an operation means to a reordering
 */
#ifndef SNAG_WITNESS_DECIDE_OPS_H
#define SNAG_WITNESS_DECIDE_OPS_H

#include "trace/event.h"

static inline bool snag_op_reads(uint8_t op)
{
	return op == SNAG_OP_READ || op == SNAG_OP_ATOMIC_READ || op == SNAG_OP_ATOMIC_UPDATE;
}

static inline bool snag_op_acquires(uint8_t op)
{
	return op == SNAG_OP_ACQUIRE || op == SNAG_OP_ACQUIRE_SHARED;
}

static inline bool snag_op_releases(uint8_t op)
{
	return op == SNAG_OP_RELEASE || op == SNAG_OP_RELEASE_SHARED;
}

/* What makes the earlier reads of its thread causal. */
static inline bool snag_op_depends(uint8_t op)
{
	return snag_op_writes(op) || op == SNAG_OP_BRANCH;
}

#endif
