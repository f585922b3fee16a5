/* SPDX-License-Identifier: Apache-2.0
 *
 * origins.c - where threads and blocks of memory came from
 */
#include "report/origins.h"

#include "base/memory.h"

#include <string.h>

struct snag_block_origin {
	char *name; /* of the object */
	struct snag_origin origin;
};

static const struct snag_origin nowhere = {.thread = SNAG_NO_ID};

size_t snag_object_name_length(const char *variable)
{
	const char *plus = strrchr(variable, '+');
	return plus && plus > variable ? (size_t)(plus - variable) : strlen(variable);
}

static struct snag_block_origin *block_find(const struct snag_origins *o, const char *variable)
{
	size_t n = snag_object_name_length(variable);
	for (size_t i = 0; i < o->nblocks; i++)
		if (strncmp(o->block[i].name, variable, n) == 0 && !o->block[i].name[n])
			return &o->block[i];
	return NULL;
}

static void block_want(struct snag_origins *o, const char *variable)
{
	size_t n = snag_object_name_length(variable);
	if (block_find(o, variable))
		return;
	o->block = snag_grow(o->block, &o->block_room, o->nblocks + 1, sizeof(*o->block));
	char *name = snag_alloc(n + 1);
	memcpy(name, variable, n);
	name[n] = 0;
	o->block[o->nblocks++] = (struct snag_block_origin){.name = name, .origin = nowhere};
}

static void event_see(struct snag_origins *o, const struct snag_source *src,
		      const struct snag_event *ev)
{
	struct snag_origin here = {.thread = ev->thread, .loc = ev->loc};
	if (ev->op == SNAG_OP_FORK && ev->target < o->nthreads) {
		o->thread[ev->target] = here;
	} else if (ev->op == SNAG_OP_ALLOC) {
		struct snag_block_origin *b =
			block_find(o, snag_name(src->names, SNAG_SPACE_VARIABLE, ev->target));
		if (b)
			b->origin = here;
	}
}

int snag_origins_read(struct snag_origins *ret, struct snag_source *src, const char *const *wanted,
		      size_t n, struct snag_error *err)
{
	struct snag_origins o = {0};
	struct snag_batch batch;
	size_t room = 0;
	int rc;
	for (size_t i = 0; i < n; i++)
		block_want(&o, wanted[i]);
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		o.thread = snag_grow(o.thread, &room, batch.counts.n[SNAG_SPACE_THREAD],
				     sizeof(*o.thread));
		while (o.nthreads < batch.counts.n[SNAG_SPACE_THREAD])
			o.thread[o.nthreads++] = nowhere;
		for (size_t i = 0; i < batch.n; i++)
			event_see(&o, src, &batch.ev[i]);
	}
	if (rc < 0) {
		snag_origins_done(&o);
		return rc;
	}
	*ret = o;
	return 0;
}

void snag_origins_done(struct snag_origins *o)
{
	for (size_t i = 0; i < o->nblocks; i++)
		free(o->block[i].name);
	free(o->block);
	free(o->thread);
	*o = (struct snag_origins){0};
}

struct snag_origin snag_origin_of_thread(const struct snag_origins *o, snag_tid thread)
{
	return thread < o->nthreads ? o->thread[thread] : nowhere;
}

struct snag_origin snag_origin_of_block(const struct snag_origins *o, const char *variable)
{
	struct snag_block_origin *b = block_find(o, variable);
	return b ? b->origin : nowhere;
}
