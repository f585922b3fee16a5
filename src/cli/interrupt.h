/* SPDX-License-Identifier: Apache-2.0
 *
 * interrupt.h - Ctrl-C: finish early the first time, die the second
 */
#ifndef SNAG_CLI_INTERRUPT_H
#define SNAG_CLI_INTERRUPT_H

#include <signal.h>

extern volatile sig_atomic_t cli_stop; /* the signal that asks to stop; 0: none came */

/* After this call, SIGINT, SIGTERM and SIGHUP set cli_stop once. A later one kills the process,
 * but not one that comes at once: timeout(1) sends its signal to the process and to its group. A
 * signal that the process ignores (nohup) stays ignored. */
void cli_interrupt_catch(void);

#endif
