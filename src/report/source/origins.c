/* SPDX-License-Identifier: Apache-2.0
 *
 * origins.c - which code created a thread or allocated a block of memory
 */
#include "report/source/origins.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static const struct snag_origin nowhere = {.thread = SNAG_NO_ID};

int snag_origins_read(struct snag_origins *ret, struct snag_source *src, uint64_t last,
		      struct snag_error *err)
{
	struct snag_origins o = {0};
	struct snag_batch batch;
	size_t room = 0;
	int rc = 1;
	for (uint64_t done = 0; done <= last; done = batch.first + batch.n) {
		rc = snag_source_next(src, &batch, err);
		if (rc <= 0)
			break;
		size_t n = batch.counts.n[SNAG_SPACE_THREAD];
		o.thread = snag_grow(o.thread, &room, n, sizeof(*o.thread));
		while (o.nthreads < n)
			o.thread[o.nthreads++] = nowhere;
		for (size_t i = 0; i < batch.n; i++) {
			const struct snag_event *ev = &batch.ev[i];
			bool creates = ev->op == SNAG_OP_FORK || ev->op == SNAG_OP_TASK_CREATE ||
				       ev->op == SNAG_OP_TASK_SPAWN;
			if (creates && ev->target < n)
				o.thread[ev->target] = (struct snag_origin){ev->thread, ev->loc};
		}
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
	free(o->thread);
	*o = (struct snag_origins){0};
}

struct snag_origin snag_origin_of_thread(const struct snag_origins *o, snag_tid thread)
{
	return thread < o->nthreads ? o->thread[thread] : nowhere;
}

struct snag_object_name snag_object_name(const char *variable)
{
	const char *plus = strrchr(variable, '+');
	struct snag_object_name o = {.length = plus && plus > variable ? (size_t)(plus - variable)
								       : strlen(variable)};
	unsigned long long number, nbytes;
	if (sscanf(variable, "heap#%llu:%llu@%u,T%u", &number, &nbytes, &o.loc, &o.thread) == 4) {
		o.kind = SNAG_OBJECT_HEAP;
		o.nbytes = nbytes;
	} else if (sscanf(variable, "T%u-0x%llx", &o.thread, &number) == 2) {
		o.kind = SNAG_OBJECT_STACK;
		o.length = strcspn(variable, "-");
	} else if ((variable[0] == '0' && variable[1] == 'x') ||
		   strncmp(variable, "descriptor:", strlen("descriptor:")) == 0) {
		o.kind = SNAG_OBJECT_OTHER;
	}
	return o;
}

int snag_variable_text(const char *variable, char *buf, size_t room)
{
	struct snag_object_name o = snag_object_name(variable);
	if (o.kind != SNAG_OBJECT_HEAP)
		return snprintf(buf, room, "%s", variable);
	return snprintf(buf, room, "%.*s%s", (int)strcspn(variable, ":"), variable,
			variable + o.length);
}
