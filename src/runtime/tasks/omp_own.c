/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_own.c - private memory of OpenMP threads: the model (own/own.h) in the runtime
 */
#include "runtime/tasks/omp_own.h"

#include "runtime/access/access.h"
#include "runtime/channel/judge.h"
#include "runtime/memory.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/tasks/tasks.h"

#include <link.h>

struct own rt_own;

void rt_own_doubt(void)
{
	rt_tasks_obstacle(RT_OBSTACLE_PRIVATE_MEMORY, (uintptr_t)__snag_omp_place());
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

void rt_own_stored_now(uintptr_t at)
{
	struct own_context *c = &rt_hot.self->omp.own;
	if (at % OWN_WORD == 0 && !own_is_on_stack(c, at))
		own_store(&rt_own, c, at);
}

void rt_own_alloc(uintptr_t at, size_t nbytes)
{
	if (!rt.is_alone)
		own_alloc(&rt_own, &rt_hot.self->omp.own, at, nbytes);
}

void rt_omp_phase(const struct snag_omp_implicit *who)
{
	struct rt_thread *self = rt_entered();
	if (!self || (who->number == self->omp.own.implicit && who->phase == self->omp.own.phase))
		return; /* a region of one thread, maybe in a segment */
	rt_epoch_end();
	own_phase(&rt_own, &self->omp.own,
		  (struct own_phase){who->number, who->phase, (uintptr_t)who->low,
				     (uintptr_t)who->high});
	rt_done_phase(self);
}

void rt_own_segment(struct rt_thread *self, bool has_loans)
{
	rt_epoch_end();
	own_segment(&rt_own, &self->omp.own, has_loans);
	rt_done_segment(self);
}

static void memory_renewed(uintptr_t at, size_t nbytes)
{
	rt.listener.renewed(at, nbytes);
}

bool rt_own_segment_over(struct rt_thread *self)
{
	const bool lends = self->omp.own.mode & OWN_LENDS;
	rt_epoch_end();
	own_segment_end(&rt_own, &self->omp.own);
	rt_done_segment(self);
	if (lends && rt_own.nranges) {
		rt_record_settle();
		own_each(&rt_own, &self->omp.own, memory_renewed);
	}
	return lends;
}

bool rt_omp_lends(const void *at, size_t nbytes)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return false;
	bool is_lent = nbytes && own_task(&rt_own, &self->omp.own, (uintptr_t)at, nbytes);
	if (self->omp.own.implicit && !(self->omp.own.mode & OWN_LENDS)) {
		rt_epoch_end();
		own_lends(&rt_own, &self->omp.own);
	}
	return is_lent;
}

void rt_omp_copy(const void *at, size_t nbytes, enum snag_omp_copy what)
{
	if (!rt_entered())
		return;
	rt_epoch_end();
	switch (what) {
	case SNAG_OMP_COPY_USED:
		own_unseen(&rt_own, (uintptr_t)at, nbytes);
		break;
	case SNAG_OMP_COPY_COMBINED:
		own_seen(&rt_own, (uintptr_t)at);
		break;
	case SNAG_OMP_COPY_RENEWED:
		rt_record_settle();
		memory_renewed((uintptr_t)at, nbytes);
	}
}
