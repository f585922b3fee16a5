/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h - what programs of tests/pass/tasks.py call (see tasks.c)
 */
#ifndef TESTS_PASS_TASKS_H
#define TESTS_PASS_TASKS_H

#include <stdint.h>

void launch(void (*f)(void *));
void task(void (*f)(void *), void *arg);

/* From the checks: one byte. */
void tasks_touch(uintptr_t at, int is_write);

#endif
