/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_sent.c - values that gcc copies back by itself
 */
#include "runtime/tasks/omp_sent.h"

#include "runtime/access/access.h"
#include "runtime/sched/sched.h"

enum { WORD = 8, MOST_BYTES = 512 };

void rt_omp_sent(const void *at)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	rt_epoch_end();
	self->omp.sent = (struct rt_sent){.at = (uintptr_t)at};
}

bool rt_sent_look(uintptr_t addr, unsigned k, bool is_write)
{
	struct rt_sent *s = &rt_hot.self->omp.sent;
	const bool is_word = 1u << k == WORD && addr % WORD == 0;
	if (!is_write && addr - s->at < MOST_BYTES) {
		s->word[s->nread++ % RT_SENT] = is_word ? *(const uint64_t *)addr : 0;
		return false;
	}
	if (!is_write || s->nwritten++ >= s->nread) {
		s->at = 0;
		return false;
	}
	for (unsigned i = 0; is_word && i < s->nread && i < RT_SENT; i++)
		if (s->word[i] && s->word[i] == *(const uint64_t *)addr)
			return true;
	return false;
}
