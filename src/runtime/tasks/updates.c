/* SPDX-License-Identifier: Apache-2.0
 *
 * updates.c - updates that commute, around which `snag cc` has put calls (cc/updates/updates.h)
 *
 * Rules.  [plain]   between begin and end, the program only accesses the variable of the update, so
 *                   the runtime records begin and end as events
 *         [atomic]  the operands of an atomic update are evaluated between the two calls as well,
 *                   so only its atomic access becomes part of an update (access/atomic.c)
 *         [names]   the plugin for clang assumes that functions called __snag_... order nothing.
 *                   These functions have other names, so that it does not join accesses inside an
 *                   update with accesses outside
 *         [none]    kind 0 is no update; outside of tasks the order is known
 */
#include "runtime/tasks/updates.h"

#include "omp/hooks.h"
#include "runtime/access/access.h"
#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "trace/event.h"

void rt_update(enum rt_update_event what, uint32_t kind, uint32_t loc)
{
	uint8_t op = what == RT_UPDATE_BEGINS ? SNAG_OP_UPDATE_BEGIN : SNAG_OP_UPDATE_END;
	rt_epoch_end();
	rt.listener.task(op, kind, loc);
}

static struct rt_thread *updating(void)
{
	if (!rt.is_of_tasks || rt.is_alone)
		return NULL;
	struct rt_thread *self = __snag_omp_yield ? rt_entered() : rt_sched_point();
	if (self)
		rt_record_settle(); /* so that it is known which task this is */
	return self;
}

RT_ABI(void, snag_update_begin_, unsigned kind) /* [plain] */
{
	RT_SCOPE;
	struct rt_thread *self = kind ? updating() : NULL; /* [none] */
	if (!self)
		return;
	self->update.kind = kind;
	rt_update(RT_UPDATE_BEGINS, kind, rt_event_location(RT_CALLER));
}

RT_ABI(void, snag_update_end_, void)
{
	RT_SCOPE;
	struct rt_thread *self = rt_self();
	if (!self || !self->update.kind || !updating())
		return;
	rt_update(RT_UPDATE_ENDS, self->update.kind, rt_event_location(RT_CALLER));
	self->update.kind = 0;
}

RT_ABI(void, snag_atomic_update_, unsigned kind) /* [atomic] */
{
	RT_SCOPE;
	struct rt_thread *self = rt_self();
	if (self && rt.is_of_tasks && !rt.is_alone)
		self->update.atomic_kind = kind;
}
