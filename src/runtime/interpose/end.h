/* SPDX-License-Identifier: Apache-2.0
 *
 * end.h - main returns, or the program calls exit, and other threads still run
 */
#ifndef SNAG_RUNTIME_END_H
#define SNAG_RUNTIME_END_H

/* Lets the other threads run for as many events as the option `linger` says, the first time it is
 * called.  Call it where the calling thread is about to end the process. */
void rt_linger(void);
/* [abrupt] The same for _exit. */
void rt_linger_explored(void);

#endif
