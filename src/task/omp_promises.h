/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_promises.h - calls from the library of <snag/task.h> to the OpenMP runtime of `snag cc`,
 * if present
 *
 * Both return false if the calling thread does not belong to OpenMP.
 */
#ifndef SNAG_TASK_OMP_PROMISES_H
#define SNAG_TASK_OMP_PROMISES_H

#include <stdbool.h>

struct snag_promise;

/* get: waits until the promise is set.  set: its value is there. */
bool __snag_omp_get(struct snag_promise *promise, const void *place);
bool __snag_omp_set(struct snag_promise *promise, const void *place);

#endif
