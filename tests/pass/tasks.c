/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c - the oracle of what no other task can race with: a runtime that counts racy bytes
 *
 * Linked with footprint.c, of which it takes the entry points.  launch() runs a function and the
 * tasks it creates, each at once and on a stack of its own that is not used again.  Any two tasks
 * of a launch count as parallel, which is more than any program has.  At its end the number of
 * bytes is printed that two tasks touched, one of them writing: addresses differ from build to
 * build, that number must not, whatever checks the pass removes.  What is outside of launches does
 * not count, nor what is freed, since nothing is.
 */
#include "tasks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { SLOTS = 1 << 18, STACK = 1 << 15, FAR = 1 << 30 };

static struct byte {
	uintptr_t at;
	int launch, writer, reader[2]; /* tasks from 1 on; readers differ */
	int is_racy;
} bytes[SLOTS];

static int launches, task_now, tasks;
static long racy;

static struct byte *byte_of(uintptr_t at)
{
	for (size_t i = at * 0x9e3779b97f4a7c15u >> 46;; i = (i + 1) % SLOTS) {
		struct byte *b = &bytes[i];
		if (b->launch != launches)
			*b = (struct byte){.at = at, .launch = launches};
		if (b->at == at)
			return b;
	}
}

static int is_other(int task)
{
	return task && task != task_now;
}

void tasks_touch(uintptr_t at, int is_write)
{
	if (!task_now)
		return;
	struct byte *b = byte_of(at);
	int races = is_other(b->writer) ||
		    (is_write && (is_other(b->reader[0]) || is_other(b->reader[1])));
	racy += races && !b->is_racy;
	b->is_racy |= races;
	if (is_write)
		b->writer = task_now;
	else if (!b->reader[0] || b->reader[0] == task_now)
		b->reader[0] = task_now;
	else
		b->reader[1] = task_now;
}

static ucontext_t here[FAR >> 24];
static int depth;

static void task_body(unsigned f1, unsigned f2, unsigned a1, unsigned a2)
{
	void (*f)(void *) = (void (*)(void *))((uintptr_t)f1 << 32 | f2);
	f((void *)((uintptr_t)a1 << 32 | a2));
	setcontext(&here[--depth]);
}

void task(void (*f)(void *), void *arg)
{
	static ucontext_t there;
	int before = task_now;
	task_now = ++tasks;
	getcontext(&there);
	there.uc_stack.ss_sp = malloc(STACK);
	there.uc_stack.ss_size = STACK;
	makecontext(&there, (void (*)(void))task_body, 4, (unsigned)((uintptr_t)f >> 32),
		    (unsigned)(uintptr_t)f, (unsigned)((uintptr_t)arg >> 32),
		    (unsigned)(uintptr_t)arg);
	swapcontext(&here[depth++], &there);
	task_now = before;
}

/* What the pass makes of it if nobody else can know of what is copied. */
void snag_async_copy_local(void (*f)(void *), const void *arg, size_t nbytes);
void snag_async_copy_local(void (*f)(void *), const void *arg, size_t nbytes)
{
	volatile char *copy = malloc(nbytes); /* not by memcpy(), which would be told */
	for (size_t i = 0; i < nbytes; i++)
		copy[i] = ((const char *)arg)[i];
	task(f, (void *)copy);
}

void snag_async_copy(void (*f)(void *), const void *arg, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		tasks_touch((uintptr_t)arg + i, 0);
	snag_async_copy_local(f, arg, nbytes);
}

void launch(void (*f)(void *))
{
	launches++;
	tasks = 0;
	racy = 0;
	task(f, NULL);
	printf("launch %d: %ld\n", launches, racy);
}
