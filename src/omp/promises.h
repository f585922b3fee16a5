/* SPDX-License-Identifier: Apache-2.0
 *
 * promises.h - what the library of <snag/task.h> asks the OpenMP runtime of `snag cc`, if it is there
 *
 * Both return false if the calling thread is none of OpenMP's.
 */
#ifndef SNAG_OMP_PROMISES_H
#define SNAG_OMP_PROMISES_H

#include <stdbool.h>

struct snag_promise;

/* Waits until it is set / it is set: its value is there. */
bool __snag_omp_get(struct snag_promise *promise, const void *place);
bool __snag_omp_set(struct snag_promise *promise, const void *place);

#endif
