/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_all.h - all candidates of a trace, decided by one procedure
 *
 * This is the work of the detectors that enumerate candidates themselves.  Unless all pairs are
 * wanted, they report one race for each unordered pair of locations, and count the pairs that it
 * stands for (verify.h).
 */
#ifndef SNAG_DETECT_DECIDE_ALL_H
#define SNAG_DETECT_DECIDE_ALL_H

#include "detect/candidates/verify.h"

/* Decides by the rules of mode M2.  Returns whether no predictable race is missing. */
bool snag_candidates_decide(const struct snag_detector_env *env, struct snag_index *ix,
			    enum snag_procedure procedure);

#endif
