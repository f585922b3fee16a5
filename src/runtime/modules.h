/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.h - the program and its shared libraries: where they lie, which ones they are
 */
#ifndef SNAG_RUNTIME_MODULES_H
#define SNAG_RUNTIME_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* Records every module not yet recorded: at the beginning and after dlopen. */
void rt_modules_report(void);
void rt_modules_forget(void); /* a new recorder knows none */

/* Whether code at that address was compiled with snag. */
bool rt_modules_instrumented(uintptr_t pc);

/* Whether what the C library does for code at that address counts: for that code, or for all, as the
 * option ignore_noninstrumented_modules says. */
bool rt_modules_counts(uintptr_t pc);

/* Whether it lies in the library of gfortran. */
bool rt_modules_is_fortran(uintptr_t pc);

/* Whether it lies in the executable. */
bool rt_modules_is_program(uintptr_t pc);

#endif
