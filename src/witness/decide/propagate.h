/* SPDX-License-Identifier: Apache-2.0
 *
 * propagate.h - derives new facts from the known ones
 */
#ifndef SNAG_WITNESS_DECIDE_PROPAGATE_H
#define SNAG_WITNESS_DECIDE_PROPAGATE_H

#include "witness/decide/state.h"

/* Applies the rules until nothing new follows.  Returns false for a contradiction; then the
 * queue is empty. */
bool snag_propagate(struct snag_state *s);

/* The same for a state that has just begun: in sweeps over the whole window, which is faster
 * when there is much to find.  If the window should be larger, it ends early, perhaps without
 * finding everything; something is then missing in the window. */
bool snag_propagate_all(struct snag_state *s);

/* Returns the last causal read by lane.thread, a lane of reads, that saw the write w
 * (SNAG_NO_EVENT: the initial value), or SNAG_NO_EVENT. */
uint32_t snag_last_reader(const struct snag_state *s, const struct snag_lane *lane, uint32_t w);

#endif
