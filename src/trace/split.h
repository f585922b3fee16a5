/* SPDX-License-Identifier: Apache-2.0
 *
 * split.h - a variable that was cut in two while it was recorded
 *
 * A recorder learns only during the run which parts of memory are accessed separately.  An
 * access to part of a variable splits it: some of its bytes become a new variable.
 *
 *     event 3   w x 8     a write of 8 bytes, the variable x
 *     event 9   r x+4 4   a read of its upper half: {x+4, split off x, at event 9}
 *
 * The events of `from` with a number below `event` also access the new variable: here event 3
 * accesses x+4.  Later events name the new variable where they access it.
 *
 * A split matters if several threads have accessed the bytes; otherwise its past has no
 * conflicts.
 *
 * A list of splits has these rules:
 *   [order]   the new variables ascend, and events do not descend
 *   [from]    from < variable
 *   [few]     at most SNAG_SPLIT_PARTS variables come from one that was not split off another,
 *             itself included
 */
#ifndef SNAG_TRACE_SPLIT_H
#define SNAG_TRACE_SPLIT_H

#include <stdint.h>

enum { SNAG_SPLIT_PARTS = 8 }; /* the bytes of a cell of the recorder */

struct snag_split {
	uint32_t variable; /* the new one */
	uint32_t from;	   /* the one it was split off */
	uint32_t event;
};

#endif
