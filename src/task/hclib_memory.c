/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_memory.c - hclib's locales, of which there is one, and memory at them
 *
 * Allocating, filling and copying are tasks, as in hclib, and the future is satisfied when the
 * task has ended.  So a detector sees if a program uses the memory without waiting.
 */
#include "task/parallel.h"
#include <snag/hclib/hclib.h>

#include <stdlib.h>
#include <string.h>

static hclib_locale_t the_locale = {.lbl = "sysmem"};

int hclib_get_num_locales(void)
{
	return 1;
}

hclib_locale_t *hclib_get_all_locales(void)
{
	return &the_locale;
}

hclib_locale_t *hclib_get_closest_locale(void)
{
	return &the_locale;
}

hclib_locale_t *hclib_get_master_place(void)
{
	return &the_locale;
}

hclib_locale_t *hclib_get_central_place(void)
{
	return &the_locale;
}

struct memory_task {
	void *to;
	const void *from;
	hclib_future_t *source; /* the future whose datum is `from`; NULL: the datum is there */
	size_t nbytes;
	int byte;
};

static hclib_future_t *memory_task(future_fct_t function, struct memory_task task,
				   hclib_future_t **futures, int nfutures)
{
	struct memory_task *own = snag_record_new(snag_worker_self(), sizeof(*own));
	*own = task;
	return hclib_async_future(function, own, futures, nfutures, NULL);
}

/* The task's argument, which ends with this. */
static struct memory_task memory_task_take(void *arg)
{
	struct memory_task task = *(struct memory_task *)arg;
	snag_record_free(snag_worker_self(), arg);
	return task;
}

static void *reallocated(void *arg)
{
	struct memory_task task = memory_task_take(arg);
	return realloc(task.to, task.nbytes);
}

static void *filled(void *arg)
{
	struct memory_task task = memory_task_take(arg);
	memset(task.to, task.byte, task.nbytes);
	return NULL;
}

static void *copied(void *arg)
{
	struct memory_task task = memory_task_take(arg);
	memcpy(task.to, task.source ? hclib_future_get(task.source) : task.from, task.nbytes);
	return NULL;
}

hclib_future_t *hclib_allocate_at(size_t nbytes, hclib_locale_t *locale)
{
	return hclib_reallocate_at(NULL, nbytes, locale);
}

hclib_future_t *hclib_reallocate_at(void *ptr, size_t nbytes, hclib_locale_t *locale)
{
	return memory_task(reallocated, (struct memory_task){.to = ptr, .nbytes = nbytes}, NULL, 0);
}

hclib_future_t *hclib_memset_at(void *ptr, int byte, size_t nbytes, hclib_locale_t *locale)
{
	struct memory_task task = {.to = ptr, .byte = byte, .nbytes = nbytes};
	return memory_task(filled, task, NULL, 0);
}

void hclib_free_at(void *ptr, hclib_locale_t *locale)
{
	free(ptr);
}

hclib_future_t *hclib_async_copy(hclib_locale_t *to_locale, void *to, hclib_locale_t *from_locale,
				 void *from, size_t nbytes, hclib_future_t **futures, int nfutures)
{
	struct memory_task task = {.to = to, .from = from, .nbytes = nbytes};
	if (from == HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC) {
		assert(futures && nfutures == 1 && "the datum of one future is the source");
		task.source = futures[0];
	}
	return memory_task(copied, task, futures, nfutures);
}
