/* SPDX-License-Identifier: Apache-2.0
 *
 * wellformed_rules.c - whether an event keeps the rules of traces (wellformed.c), and if not, why
 */
#include "trace/text/text_op.h"
#include "trace/wellformed_state.h"

#include <stdarg.h>
#include <stdio.h>

/* Names in messages are shortened; each needs a buffer. */
struct quotes {
	char thread[SNAG_TEXT_QUOTE], other[SNAG_TEXT_QUOTE], lock[SNAG_TEXT_QUOTE];
};

static const char *quote(const struct snag_wellformed *w, char buf[SNAG_TEXT_QUOTE],
			 enum snag_space space, uint32_t id)
{
	const struct snag_strtab *t = &w->base.names->space[space];
	return snag_text_quote(buf, snag_strtab_get(t, id), snag_strtab_len(t, id));
}

__attribute__((format(printf, 3, 4))) static int refuse(const struct snag_wellformed *w,
							const struct snag_wellformed_step *step,
							const char *fmt, ...)
{
	char what[sizeof(step->err->msg)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return snag_fail(step->err, SNAG_EINPUT,
			 w->has_lines ? "%s:%llu: %s" : "%s: event %llu: %s", w->base.name,
			 (unsigned long long)step->place, what);
}

/* "<what> of lock 'l' by T1, which <why>", or "<what> of lock 'l' by T1 while T0 holds it<how>
 * (since line 12)" */
static int refuse_lock(const struct snag_wellformed *w, const struct snag_wellformed_step *step,
		       const struct snag_lock_fault *f)
{
	struct quotes q;
	if (!step->err)
		return SNAG_EINPUT;
	const char *lock = quote(w, q.lock, SNAG_SPACE_LOCK, step->ev->target),
		   *thread = quote(w, q.thread, SNAG_SPACE_THREAD, step->ev->thread);
	if (f->why)
		return refuse(w, step, "%s of lock '%s' by %s, which %s", f->what, lock, thread,
			      f->why);
	return refuse(w, step, "%s of lock '%s' by %s while %s holds it%s (since %s %llu)", f->what,
		      lock, thread,
		      f->holder == step->ev->thread
			      ? "it"
			      : quote(w, q.other, SNAG_SPACE_THREAD, f->holder),
		      f->is_shared ? " shared" : "", w->has_lines ? "line" : "event",
		      (unsigned long long)f->since);
}

/* "<what> of thread T2<why> (line 9)" */
static int refuse_thread(const struct snag_wellformed *w, const struct snag_wellformed_step *step,
			 const char *what, snag_tid t, const char *why, uint64_t where)
{
	struct quotes q;
	if (!step->err)
		return SNAG_EINPUT;
	return refuse(w, step, "%s of thread %s%s (%s %llu)", what,
		      quote(w, q.thread, SNAG_SPACE_THREAD, t), why,
		      w->has_lines ? "line" : "event", (unsigned long long)where);
}

static int refuse_self(const struct snag_wellformed *w, const struct snag_wellformed_step *step,
		       const char *what)
{
	struct quotes q;
	if (!step->err)
		return SNAG_EINPUT;
	return refuse(w, step, "%s of thread %s by itself", what,
		      quote(w, q.thread, SNAG_SPACE_THREAD, step->ev->thread));
}

static int check_fork(struct snag_wellformed *w,
		      const struct snag_wellformed_step *step) /* [fork] */
{
	snag_tid t = step->ev->target;
	const struct snag_thread_places *places = &w->thread[t];
	if (t == step->ev->thread)
		return refuse_self(w, step, "fork");
	if (w->flags[t] & JOINED)
		return refuse_thread(w, step, "fork", t, " after its join", places->joined);
	if (w->flags[t] & FORKED)
		return refuse_thread(w, step, "fork", t, ", which was forked before",
				     places->begun);
	if (w->flags[t] & RAN)
		return refuse_thread(w, step, "fork", t, ", which already ran", places->begun);
	w->flags[t] |= FORKED;
	w->thread[t].begun = step->place;
	w->has_forks = true;
	return 0;
}

static int check_join(struct snag_wellformed *w,
		      const struct snag_wellformed_step *step) /* [join] */
{
	snag_tid t = step->ev->target;
	if (t == step->ev->thread)
		return refuse_self(w, step, "join");
	if (!(w->flags[t] & JOINED))
		w->thread[t].joined = step->place;
	w->flags[t] |= JOINED;
	w->has_forks = true;
	return 0;
}

static int check_lock(struct snag_wellformed *w, const struct snag_wellformed_step *step)
{
	struct snag_lock_fault fault;
	return snag_lock_rules_check(&w->locks, step->ev, step->place, &fault)
		       ? 0
		       : refuse_lock(w, step, &fault);
}

static int check_special(struct snag_wellformed *w, const struct snag_wellformed_step *step)
{
	if (step->ev->op == SNAG_OP_FORK)
		return check_fork(w, step);
	if (step->ev->op == SNAG_OP_JOIN)
		return check_join(w, step);
	return SNAG_OPS_OF_LOCKS >> step->ev->op & 1 ? check_lock(w, step) : 0;
}

/* "<op> by 3: <why> (event 9)" */
static int refuse_task(const struct snag_wellformed *w, const struct snag_wellformed_step *step,
		       const char *why, uint64_t since)
{
	struct quotes q;
	char where[48] = "";
	if (!step->err)
		return SNAG_EINPUT;
	if (since != SNAG_NO_PLACE)
		snprintf(where, sizeof(where), " (%s %llu)", w->has_lines ? "line" : "event",
			 (unsigned long long)since);
	return refuse(w, step, "%s by %s: %s%s", snag_op_info[step->ev->op].text,
		      quote(w, q.thread, SNAG_SPACE_THREAD, step->ev->thread), why, where);
}

/* The first event of tasks. */
static int tasks_begin(struct snag_wellformed *w, const struct snag_wellformed_step *step,
		       const struct snag_counts *n)
{
	snag_tid t = step->ev->thread;
	if (w->nran > 1 || (w->nran == 1 && !(w->flags[t] & RAN)) || w->has_forks)
		return refuse_task(w, step, "the trace is one of threads", SNAG_NO_PLACE);
	w->is_tasks = true;
	snag_task_rules_init(&w->rules);
	snag_task_rules_reserve(&w->rules, n);
	snag_task_rules_first(&w->rules, t);
	if (!(w->flags[t] & RAN))
		w->thread[t].begun = step->place;
	w->flags[t] |= FORKED;
	return 0;
}

/* The task that is to be created: [task] of task_rules.h. */
static int check_child(const struct snag_wellformed *w, const struct snag_wellformed_step *step)
{
	snag_tid t = step->ev->target;
	const struct snag_thread_places *places = &w->thread[t];
	if (t == step->ev->thread)
		return refuse_task(w, step, "it creates itself", SNAG_NO_PLACE);
	if (w->flags[t] & (RAN | FORKED))
		return refuse_task(w, step, "the task began before", places->begun);
	return 0;
}

static int check_task(struct snag_wellformed *w, const struct snag_wellformed_step *step,
		      const struct snag_counts *n)
{
	const struct snag_event *ev = step->ev;
	struct snag_task_fault fault;
	bool creates = ev->op == SNAG_OP_TASK_CREATE || ev->op == SNAG_OP_TASK_SPAWN;
	int rc = w->is_tasks ? 0 : tasks_begin(w, step, n);
	if (rc == 0 && !(w->flags[ev->thread] & FORKED))
		rc = refuse_task(w, step, "no task created it", SNAG_NO_PLACE);
	if (rc == 0 && SNAG_OPS_OF_THREADS >> ev->op & 1)
		rc = refuse_task(w, step, "the trace is one of tasks", SNAG_NO_PLACE);
	if (rc == 0 && creates)
		rc = check_child(w, step);
	if (rc == 0 && !snag_task_rules_check(&w->rules, ev, step->place, &fault))
		rc = refuse_task(w, step, fault.why, fault.since);
	if (rc == 0 && SNAG_OPS_OF_LOCKS >> ev->op & 1)
		rc = check_lock(w, step);
	if (rc < 0)
		return rc;
	if (creates) {
		w->flags[ev->target] |= FORKED;
		w->thread[ev->target].begun = step->place;
	} else if (ev->op == SNAG_OP_TASK_END) {
		w->flags[ev->thread] |= JOINED;
		w->thread[ev->thread].joined = step->place;
	}
	return 0;
}

int snag_wellformed_check(struct snag_wellformed *w, const struct snag_wellformed_step *step,
			  const struct snag_counts *n)
{
	snag_tid t = step->ev->thread;
	uint8_t given = step->ev->flags;
	step->ev->flags &= (uint8_t)~SNAG_NESTED;
	if (w->flags[t] & JOINED) { /* [joined] */
		w->changed = true;
		return w->is_tasks ? refuse_task(w, step, "it has ended", w->thread[t].joined)
				   : refuse_thread(w, step, "event", t, " after its join",
						   w->thread[t].joined);
	}
	bool is_task = w->is_tasks || SNAG_OPS_OF_TASKS >> step->ev->op & 1;
	int rc = is_task ? check_task(w, step, n) : check_special(w, step);
	w->changed |= rc < 0 || step->ev->flags != given;
	if (rc == 0 && !(w->flags[t] & RAN)) {
		if (!(w->flags[t] & FORKED))
			w->thread[t].begun = step->place;
		w->flags[t] |= RAN;
		w->nran++;
	}
	return rc;
}
