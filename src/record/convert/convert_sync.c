/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_sync.c - turns records that order threads into events: threads, locks, tokens
 */
#include "record/convert/convert_state.h"

#include "base/memory.h"
#include "record/convert/regions.h"

#include <inttypes.h>
#include <string.h>

uint32_t snag_convert_thread(struct snag_convert *c, uint32_t tid)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_THREAD];
	char text[16];
	while (words->n <= tid)
		snag_strtab_intern_ascending(
			words, text, (size_t)snprintf(text, sizeof(text), "T%" PRIu32, words->n));
	c->done = snag_grow(c->done, &c->done_cap, words->n, sizeof(*c->done));
	return tid;
}

/* Replaces the name that a compiler gives to the lock of a critical section by the program's
 * name. */
static size_t critical_named(char *text, size_t len)
{
	static const char begins[] = ".gomp_critical_user_", ends[] = ".var";
	size_t skip = sizeof(begins) - 1, tail = sizeof(ends) - 1;
	char name[SNAG_REGION_NAME + 16];
	if (len < skip || memcmp(text, begins, skip) != 0)
		return len;
	len -= skip;
	memcpy(name, text + skip, len);
	if (len >= tail && memcmp(name + len - tail, ends, tail) == 0)
		len -= tail;
	return (size_t)sprintf(text, len ? "critical(%.*s)" : "critical%.*s", (int)len, name);
}

static uint32_t lock_new(struct snag_convert *c, uint64_t addr)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_LOCK];
	char text[SNAG_REGION_NAME + 16];
	uint32_t id = words->n;
	if (c->options.is_nameless)
		return snag_strtab_append(words, "", 0);
	size_t len = snag_regions_name(c->regions, addr, text, NULL);
	len = critical_named(text, len);
	snag_convert_tell_apart(words, id, text, len, sizeof(text));
	return id;
}

/* Returns the lock of a record.  C++ programs neither initialise nor destroy a std::mutex in a way
 * that the runtime sees: if the memory of the lock was freed and allocated again, it is a new
 * lock. */
static uint32_t lock_named(struct snag_convert *c, const struct rt_record *r, bool is_acquire)
{
	uint64_t addr = rt_record_address(r), blocks = snag_regions_blocks(c->regions);
	c->lock = snag_grow(c->lock, &c->lock_cap, (size_t)r->arg + 1, sizeof(*c->lock));
	struct snag_convert_lock *l = &c->lock[r->arg];
	if (l->id && (!is_acquire || l->blocks == blocks))
		return l->id - 1;
	uint64_t block = snag_regions_block(c->regions, addr);
	if (!l->id || l->block != block)
		l->id = lock_new(c, addr) + 1;
	l->block = block;
	l->blocks = blocks;
	return l->id - 1;
}

static uint32_t token_variable(struct snag_convert *c, uint32_t token)
{
	c->token = snag_grow(c->token, &c->token_cap, (size_t)token + 1, sizeof(*c->token));
	if (!c->token[token]) {
		char text[48];
		size_t len = (size_t)snprintf(text, sizeof(text), "sync#%" PRIu32, token);
		c->token[token] = snag_convert_named(c, text, len, sizeof(text)) + 1;
	}
	return c->token[token] - 1;
}

/* Schedules name the thread by its creator (record/creators.h). */
static void created(struct snag_convert *c, uint32_t thread)
{
	struct snag_created new = snag_creators_add(&c->steps.creators, c->thread, thread);
	if (c->options.schedule)
		fprintf(c->options.schedule, "+%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", new.thread,
			new.creator, new.index);
}

void snag_convert_sync(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	static const uint8_t lock_op[RT_OPS] = {
		[RT_ACQUIRE] = SNAG_OP_ACQUIRE,
		[RT_RELEASE] = SNAG_OP_RELEASE,
		[RT_ACQUIRE_SHARED] = SNAG_OP_ACQUIRE_SHARED,
		[RT_RELEASE_SHARED] = SNAG_OP_RELEASE_SHARED,
	};
	switch (op) {
	case RT_SYNC_READ:
		event_put(c, SNAG_OP_ATOMIC_READ, token_variable(c, r->arg), r, 0, SNAG_ACQUIRE);
		break;
	case RT_SYNC_WRITE:
		event_put(c, SNAG_OP_ATOMIC_WRITE, token_variable(c, r->arg), r, 0, SNAG_RELEASE);
		break;
	case RT_SYNC_UPDATE:
		event_put(c, SNAG_OP_ATOMIC_UPDATE, token_variable(c, r->arg), r, 0,
			  rt_record_size(r) < SNAG_ORDERS ? rt_record_size(r) : SNAG_ACQ_REL);
		break;
	case RT_FORK:
		created(c, r->arg);
		event_put(c, SNAG_OP_FORK, snag_convert_thread(c, r->arg), r, 0, 0);
		break;
	case RT_JOIN:
		event_put(c, SNAG_OP_JOIN, snag_convert_thread(c, r->arg), r, 0,
			  rt_record_size(r) ? SNAG_NO_WAIT : 0);
		break;
	default: {
		bool is_acquire = op == RT_ACQUIRE || op == RT_ACQUIRE_SHARED;
		uint8_t flags = is_acquire && rt_record_size(r) ? SNAG_NO_WAIT : 0;
		event_put(c, lock_op[op], lock_named(c, r, is_acquire), r, 0, flags);
		break;
	}
	}
}
