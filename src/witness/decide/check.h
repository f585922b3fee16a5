/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h - checking a long witness without replaying its beginning
 */
#ifndef SNAG_WITNESS_DECIDE_CHECK_H
#define SNAG_WITNESS_DECIDE_CHECK_H

#include "witness/decide/index.h"
#include "witness/witness.h"

/* Whether w, which has a prefix, is a witness by the rules of the mode.  Agrees with
 * snag_witness_check. */
bool snag_witness_check_indexed(const struct snag_index *ix, enum snag_mode mode,
				const struct snag_witness *w);

#endif
