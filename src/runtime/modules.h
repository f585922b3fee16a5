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
void rt_modules_forget(void); /* Call this for a new recorder, which knows no modules. */

/* Returns whether code at this address was compiled with snag. */
bool rt_modules_instrumented(uintptr_t pc);

/* Returns whether accesses that the C library makes for code at this address count: those for such
 * code, or all, as the option ignore_noninstrumented_modules says. */
bool rt_modules_counts(uintptr_t pc);

/* Returns whether the address lies in the library of gfortran. */
bool rt_modules_is_fortran(uintptr_t pc);

/* Returns whether the address lies in the executable. */
bool rt_modules_is_program(uintptr_t pc);

#endif
