/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_own.c - private memory of OpenMP threads: the model (own/own.h) in the runtime
 */
#include "runtime/omp_own.h"

#include "runtime/access.h"
#include "runtime/judge.h"
#include "runtime/memory.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/tasks.h"

#include <link.h>

struct own rt_own;

void rt_own_doubt(void)
{
	rt_tasks_asked(RT_ASKED_PRIVATE, (uintptr_t)__snag_omp_place());
}

static int tls_add(struct dl_phdr_info *info, size_t nbytes, void *ctx)
{
	size_t *sum = ctx;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			*sum += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
	return 0;
}

void rt_own_begin(void)
{
	rt_own.doubt = rt_own_doubt;
	rt_own.grow = rt_grow;
	if (!rt_own.tls_bytes)
		dl_iterate_phdr(tls_add, &rt_own.tls_bytes);
}

/* ---- facts from the program ---- */

void rt_own_stored_now(uintptr_t at)
{
	struct own_context *c = &rt_hot.self->own;
	if (at % OWN_WORD == 0 && !own_is_on_stack(c, at))
		own_store(&rt_own, c, at);
}

void rt_own_alloc(uintptr_t at, size_t nbytes)
{
	if (!rt.is_alone)
		own_alloc(&rt_own, &rt_hot.self->own, at, nbytes);
}

/* ---- facts from the library ---- */

void rt_omp_own(const void *low, const void *high, bool has_tasks)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	rt_epoch_end();
	rt_done_segment(self, low);
	if (low)
		own_segment(&rt_own, &self->own, has_tasks);
	else
		own_segment_end(&rt_own, &self->own);
}

void rt_omp_lend(bool is_in_segment)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	rt_epoch_end();
	own_lends(&rt_own, &self->own);
	if (is_in_segment)
		rt_done_segment(self, true);
}

bool rt_omp_handed(const void *at, size_t nbytes)
{
	struct rt_thread *self = rt_entered();
	if (!self || !own_task(&rt_own, &self->own, (uintptr_t)at, nbytes))
		return false;
	rt_omp_lend(false);
	return true;
}

void rt_omp_implicit(const struct snag_omp_implicit *who)
{
	struct rt_thread *self = rt_entered();
	if (!self || (who->number == self->own.implicit && who->phase == self->own.phase))
		return; /* a region of one thread, maybe in a segment */
	rt_epoch_end();
	own_phase(&rt_own, &self->own,
		  (struct own_phase){who->number, who->phase, (uintptr_t)who->low,
				     (uintptr_t)who->high});
	rt_done_phase(self, who->number, who->phase);
}

static void memory_renewed(uintptr_t at, size_t nbytes)
{
	if (rt.judges)
		rt_judge_forget(at, nbytes);
	else
		rt_put(RT_FORGET, 1, at, 0, nbytes > UINT32_MAX ? UINT32_MAX : (uint32_t)nbytes);
}

void rt_omp_renewed(const void *at, size_t nbytes)
{
	const struct rt_thread *self;
	if ((!at && !rt_own.nranges) || !(self = rt_entered()))
		return;
	rt_epoch_end();
	rt_record_settle();
	if (at)
		memory_renewed((uintptr_t)at, nbytes);
	else
		own_each(&rt_own, &self->own, memory_renewed);
}

void rt_omp_unseen(const void *at, size_t nbytes)
{
	if (!rt_entered())
		return;
	rt_epoch_end();
	if (nbytes)
		own_unseen(&rt_own, (uintptr_t)at, nbytes);
	else
		own_seen(&rt_own, (uintptr_t)at);
}
