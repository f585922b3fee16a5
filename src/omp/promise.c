/* SPDX-License-Identifier: Apache-2.0
 *
 * promise.c - promises of <snag/task.h> in OpenMP programs
 *
 * Idea.   The library of <snag/task.h> asks here first when it is called outside of a launch of its
 *         own.  A task or thread that waits for a promise lets the others run, as in every other
 *         wait.  For the detector, set and get are what they are in a launch, as for depend
 *         clauses.
 *
 * State.  `state` of a promise is UNSET, SET, or the last context that waits for it, linked by
 *         `next`.  `number` is the detector's promise + 1, from the set on.  Outside of
 *         regions there is none: work there comes before or after all that is parallel.
 */
#include "task/omp_promises.h"

#include "omp/abi.h"

#include <snag/task.h>

enum { UNSET = 0, SET = 1 };

MP_EXPORT bool __snag_omp_get(struct snag_promise *promise, const void *place)
{
	if (!mp_is_here())
		return false;
	mp_enter(place);
	while (promise->state != SET) {
		mp.now->next = (struct mp_context *)promise->state;
		promise->state = (uintptr_t)mp.now;
		mp_block();
	}
	if (mp.launched && promise->number)
		mp_report(SNAG_OP_PROMISE_GET, promise->number - 1);
	return true;
}

MP_EXPORT bool __snag_omp_set(struct snag_promise *promise, const void *place)
{
	if (!mp_is_here())
		return false;
	mp_enter(place);
	struct mp_context *waiting = (struct mp_context *)promise->state, *next;
	promise->state = SET;
	promise->number = 0;
	if (mp.launched) {
		uint32_t number = mp_promise();
		promise->number = number + 1;
		mp_report(SNAG_OP_PROMISE_SET, number);
	}
	for (; waiting; waiting = next) { /* in the order in which they came */
		next = waiting->next;
		mp_ready(waiting);
	}
	return true;
}
