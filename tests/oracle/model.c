/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c - the facts of a small trace
 */
#include "model.h"

#include <string.h>

static bool is_read(uint8_t op)
{
	return op == SNAG_OP_READ || op == SNAG_OP_ATOMIC_READ || op == SNAG_OP_ATOMIC_UPDATE;
}

static bool is_write(uint8_t op)
{
	return op == SNAG_OP_WRITE || op == SNAG_OP_ATOMIC_WRITE || op == SNAG_OP_ATOMIC_UPDATE;
}

static void find_kinds(struct model *m)
{
	for (unsigned e = 0; e < m->n; e++) {
		uint8_t op = m->op[e];
		m->of[m->thread[e]] |= just(e);
		if (is_read(op))
			m->reads |= just(e);
		if (is_read(op) && snag_event_is_wait(&m->trace->ev[e]))
			m->waits |= just(e);
		if (is_write(op))
			m->writes |= just(e);
		if (op == SNAG_OP_BRANCH)
			m->branches |= just(e);
		if (snag_op_is_access(op))
			m->plain |= just(e);
		if (op == SNAG_OP_ACQUIRE_SHARED)
			m->has_shared = true;
		if (op >= SNAG_OP_ATOMIC_READ && op <= SNAG_OP_FENCE)
			m->has_atomic = true;
		if (op == SNAG_OP_BRANCH)
			m->has_branch = true;
		if (op == SNAG_OP_DEPENDS)
			m->has_depends = true;
	}
}

/* Those of the thread's events that come before its first DEPENDS event. */
static event_set before_naming(const struct model *m, unsigned thread)
{
	event_set before = 0;
	for (unsigned e = 0; e < m->n; e++) {
		if (m->thread[e] != thread)
			continue;
		if (m->op[e] == SNAG_OP_DEPENDS)
			break;
		before |= just(e);
	}
	return before;
}

/* brDepsOn: all earlier reads; or those of the variables that are named since the last branch, and
 * those from before the thread named any. */
static void find_dependences(struct model *m)
{
	for (event_set rest = m->branches; rest;) {
		unsigned b = take_first(&rest), named = 0;
		event_set reads = m->reads & m->of[m->thread[b]] & below(b);
		for (unsigned e = b; e-- > 0;) {
			if (m->thread[e] != m->thread[b])
				continue;
			if (m->op[e] == SNAG_OP_BRANCH)
				break;
			if (m->op[e] == SNAG_OP_DEPENDS)
				named |= 1u << m->target[e];
		}
		for (event_set all = reads; named && all;) {
			unsigned r = take_first(&all);
			if (!(named & 1u << m->target[r]))
				reads &= ~just(r) | before_naming(m, m->thread[b]);
		}
		m->depends[b] = reads;
	}
}

static void find_accesses(struct model *m)
{
	for (unsigned e = 0; e < m->n; e++) {
		m->saw[e] = NO_EVENT;
		event_set accesses = m->reads | m->writes;
		if (!(accesses & just(e)))
			continue;
		while (accesses) {
			unsigned d = take_first(&accesses);
			if (m->target[d] != m->target[e])
				continue;
			if (d < e && (m->reads & just(e)) && (m->writes & just(d)))
				m->saw[e] = (uint8_t)d;
			if (m->thread[d] != m->thread[e] && (m->writes & (just(d) | just(e))))
				m->clashes[e] |= just(d);
		}
		if (m->plain & just(e))
			m->conflicts[e] = m->clashes[e] & m->plain;
	}
}

static void find_hard_edges(struct model *m)
{
	for (unsigned e = 0; e < m->n; e++) {
		if (m->op[e] == SNAG_OP_FORK) {
			for (unsigned d = 0; d < m->n; d++) {
				bool starts = m->thread[d] == m->target[e];
				bool is_join =
					m->op[d] == SNAG_OP_JOIN && m->target[d] == m->target[e];
				if (starts || (is_join && d > e))
					m->needs[d] |= just(e);
			}
		} else if (m->op[e] == SNAG_OP_JOIN) {
			m->needs[e] |= m->of[m->target[e]] & below(e);
		}
	}
}

static void find_sections(struct model *m)
{
	for (unsigned e = 0; e < m->n; e++) {
		bool is_shared = m->op[e] == SNAG_OP_ACQUIRE_SHARED;
		if ((m->op[e] != SNAG_OP_ACQUIRE && !is_shared) ||
		    (m->trace->ev[e].flags & SNAG_NESTED))
			continue;
		struct section *s = &m->section[m->nsections++];
		*s = (struct section){.thread = m->thread[e],
				      .lock = m->target[e],
				      .acquire = (uint8_t)e,
				      .release = NO_EVENT,
				      .is_shared = is_shared};
		uint8_t release = is_shared ? SNAG_OP_RELEASE_SHARED : SNAG_OP_RELEASE;
		event_set rest = m->of[s->thread] & ~below(e);
		while (rest && s->release == NO_EVENT) {
			unsigned d = take_first(&rest);
			s->events |= just(d);
			m->held[d] |= (uint8_t)(1u << s->lock);
			m->alone[d] |= (uint8_t)(!is_shared << s->lock);
			if (m->op[d] == release && m->target[d] == s->lock &&
			    !(m->trace->ev[d].flags & SNAG_NESTED))
				s->release = (uint8_t)d;
		}
	}
	m->is_nested = true;
	for (unsigned i = 0; i < m->nsections; i++)
		for (unsigned j = 0; j < m->nsections; j++) {
			const struct section *a = &m->section[i], *b = &m->section[j];
			bool opens_inside =
				(a->events & just(b->acquire)) && a->acquire < b->acquire;
			if (opens_inside && a->release != NO_EVENT &&
			    (b->events & just(a->release)))
				m->is_nested = false;
		}
}

static void find_atomic_sections(struct model *m)
{
	m->nall = m->nsections;
	event_set atomics = (m->reads | m->writes) & ~m->plain;
	while (atomics) {
		unsigned e = take_first(&atomics);
		m->section[m->nall++] = (struct section){.thread = m->thread[e],
							 .lock = MAX_LOCKS + m->target[e],
							 .acquire = (uint8_t)e,
							 .release = (uint8_t)e,
							 .events = just(e)};
	}
}

bool model_init(struct model *m, const struct snag_trace *trace)
{
	struct snag_counts counts = snag_names_counts(&trace->names);
	if (trace->n > MAX_EVENTS || counts.n[SNAG_SPACE_THREAD] > MAX_THREADS ||
	    counts.n[SNAG_SPACE_VARIABLE] > MAX_VARIABLES || counts.n[SNAG_SPACE_LOCK] > MAX_LOCKS)
		return false;
	memset(m, 0, sizeof(*m));
	m->trace = trace;
	m->n = (unsigned)trace->n;
	m->nthreads = counts.n[SNAG_SPACE_THREAD];
	m->nvariables = counts.n[SNAG_SPACE_VARIABLE];
	m->nlocks = counts.n[SNAG_SPACE_LOCK];
	for (unsigned e = 0; e < m->n; e++) {
		const struct snag_event *ev = &trace->ev[e];
		if (snag_op_is_of_tasks(ev->op))
			return false;
		m->thread[e] = (uint8_t)ev->thread;
		m->op[e] = ev->op;
		m->target[e] = (uint8_t)ev->target;
	}
	find_kinds(m);
	find_accesses(m);
	find_dependences(m);
	find_hard_edges(m);
	find_sections(m);
	find_atomic_sections(m);
	return true;
}

const struct section *model_section(const struct model *m, unsigned acquire)
{
	for (unsigned i = 0; i < m->nsections; i++)
		if (m->section[i].acquire == acquire)
			return &m->section[i];
	return NULL;
}
