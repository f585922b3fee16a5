/* SPDX-License-Identifier: Apache-2.0
 *
 * event.c - the table of operations
 */
#include "trace/event.h"

const struct snag_op_info snag_op_info[SNAG_OPS] = {
#define OP(name, text, space, about) {#name, text, SNAG_SPACE_##space, about},
#include "trace/ops.def"
#undef OP
};
