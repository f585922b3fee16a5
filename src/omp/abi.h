/* SPDX-License-Identifier: Apache-2.0
 *
 * abi.h - functions that programs call and no header of ours declares
 */
#ifndef SNAG_OMP_ABI_H
#define SNAG_OMP_ABI_H

#include "omp/task.h"

#define MP_EXPORT __attribute__((visibility("default")))
#define MP_ABI(type, name, ...)           \
	MP_EXPORT type name(__VA_ARGS__); \
	type name(__VA_ARGS__)

/* For functions that threads outside of OpenMP may also call: remembers the place of the call,
 * which names the memory that they allocate. */
#define MP_PLACE() (mp_is_here() ? (void)mp_enter(__builtin_return_address(0)) : (void)0)

#endif
