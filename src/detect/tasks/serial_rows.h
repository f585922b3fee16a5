/* SPDX-License-Identifier: Apache-2.0
 *
 * serial_rows.h - the steps of spbags and espbags as rows, as in table 1 of Storey et al.
 *
 * A row stands for an event, and shows the state after it:
 *   S      the S-bag of each task that runs: T1:{T1,T2}
 *   P      the P-bag of each finish or task on the stack, named after its task; @ stands for a
 *          finish
 *   past   by variable, the last writer w and reader r, and those of isolated accesses: iw, ir
 */
#ifndef SNAG_DETECT_SERIAL_ROWS_H
#define SNAG_DETECT_SERIAL_ROWS_H

#include "detect/tasks/serial.h"

/* For struct snag_table.serial.  NULL view: the names of the columns. */
void snag_serial_row(const struct snag_table *rows, const struct snag_serial_view *view,
		     const struct snag_event *ev);

#endif
