/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.h - what an operation means to a reordering
 */
#ifndef SNAG_WITNESS_DECIDE_OPS_H
#define SNAG_WITNESS_DECIDE_OPS_H

#include "trace/event.h"

static inline bool snag_op_acquires(uint8_t op)
{
	return op == SNAG_OP_ACQUIRE || op == SNAG_OP_ACQUIRE_SHARED;
}

static inline bool snag_op_releases(uint8_t op)
{
	return op == SNAG_OP_RELEASE || op == SNAG_OP_RELEASE_SHARED;
}

#endif
