/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_atomic.c - hclib's atomics: a value for each worker, combined at the end
 *
 * In parallel each worker updates its own value, which no other thread touches.  Under a
 * detector there is one worker and one value, and updates are isolated blocks: they do not race
 * with each other, but each races with a gather that nothing orders after it.  Only the program
 * knows whether they commute.
 */
#include <snag/hclib/hclib_atomic.h>

#include "task/core.h"
#include "task/parallel.h"
#include "task/serial.h"

#include <assert.h>
#include <string.h>

enum { LINE = 64 };

void hclib_atomic_init(hclib_atomic_t *atomic, size_t nbytes, atomic_init_func init, void *data)
{
	size_t padded, all;
	atomic->nthreads = snag_run_workers();
	assert(init && nbytes > 0 && atomic->nthreads > 0 && "as hclib asks for, in a launch");
	if (__builtin_add_overflow(nbytes, LINE - 1, &padded) ||
	    __builtin_mul_overflow(padded / LINE * LINE, atomic->nthreads, &all))
		snag_no_memory();
	atomic->val_size = nbytes;
	atomic->padded_val_size = padded / LINE * LINE;
	atomic->vals = aligned_alloc(LINE, all);
	if (!atomic->vals)
		snag_no_memory();
	for (size_t i = 0; i < atomic->nthreads; i++)
		init(atomic->vals + i * atomic->padded_val_size, data);
}

hclib_atomic_t *hclib_atomic_create(size_t nbytes, atomic_init_func init, void *data)
{
	hclib_atomic_t *atomic = malloc(sizeof(*atomic));
	if (!atomic)
		snag_no_memory();
	hclib_atomic_init(atomic, nbytes, init, data);
	return atomic;
}

void hclib_atomic_update(hclib_atomic_t *atomic, atomic_update_func update, void *data)
{
	if (!snag_serial) {
		struct task_worker *w = snag_worker_self();
		assert(w && w->number < atomic->nthreads && "outside of its launch");
		update(atomic->vals + w->number * atomic->padded_val_size, data);
		return;
	}
	bool is_isolated = snag_serial->is_isolated;
	if (snag_serial_called() && !is_isolated)
		snag_serial_isolated_begin();
	update(atomic->vals, data);
	if (snag_serial_called() && !is_isolated)
		snag_serial_isolated_end();
}

void *hclib_atomic_gather(hclib_atomic_t *atomic, atomic_gather_func gather, void *data)
{
	char *result = malloc(atomic->padded_val_size);
	if (!result)
		snag_no_memory();
	memcpy(result, atomic->vals, atomic->padded_val_size);
	for (size_t i = 1; i < atomic->nthreads; i++)
		gather(result, atomic->vals + i * atomic->padded_val_size, data);
	return result;
}
