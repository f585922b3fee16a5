/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_joins.h - what hclib_end_finish_nonblocking() needs from all other calls
 *
 * Only programs that call it are linked with hclib_joins.c; in others these symbols are missing.
 */
#ifndef SNAG_TASK_HCLIB_JOINS_H
#define SNAG_TASK_HCLIB_JOINS_H

#include <stddef.h>

#define HCLIB_JOINS __attribute__((weak))

void snag_hclib_begin(void) HCLIB_JOINS; /* Call it after snag_finish_begin(). */
void snag_hclib_end(void) HCLIB_JOINS;	 /* Call it in place of snag_finish_end(). */
/* Call it in place of snag_async(). With `copy`, the argument is a copy of these bytes. */
void snag_hclib_create(void (*function)(void *), void *arg, const void *copy,
		       size_t nbytes) HCLIB_JOINS;
void snag_hclib_left(void) HCLIB_JOINS; /* the first task ends */

#endif
