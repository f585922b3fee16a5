/* SPDX-License-Identifier: Apache-2.0
 *
 * fork.h - children of the program
 */
#ifndef SNAG_RUNTIME_FORK_H
#define SNAG_RUNTIME_FORK_H

void rt_fork_begin(void); /* before the program can ask for handlers */

#endif
