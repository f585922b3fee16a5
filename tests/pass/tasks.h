/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h - what programs of tests/pass/tasks.py call (see tasks.c)
 */
#ifndef TESTS_PASS_TASKS_H
#define TESTS_PASS_TASKS_H

#include <stddef.h>
#include <stdint.h>

void launch(void (*f)(void *));
void task(void (*f)(void *), void *arg);
void snag_async_copy(void (*f)(void *), const void *arg, size_t nbytes); /* the pass knows it */

/* From the checks: one byte. */
void tasks_touch(uintptr_t at, int is_write);

#endif
