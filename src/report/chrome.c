/* SPDX-License-Identifier: Apache-2.0
 *
 * chrome.c - a trace in Chrome's trace event format
 *
 * Each event is a slice of one microsecond on the track of its thread.  A lock that a thread holds is
 * an asynchronous slice: locks need not be given back in the order in which they were taken.
 */
#include "report/chrome.h"

#include "report/json_writer.h"
#include "report/source/origins.h"
#include "trace/callstack.h"

#include <stdio.h>

enum { PROCESS = 1 };

static void common(struct snag_json *j, const char *phase, snag_tid thread)
{
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "ph", phase);
	snag_json_uint(j, "pid", PROCESS);
	snag_json_uint(j, "tid", thread + 1);
}

static void thread_name(struct snag_json *j, snag_tid thread, const char *name)
{
	common(j, "M", thread);
	snag_json_string(j, "name", "thread_name");
	snag_json_object(j, "args");
	snag_json_string(j, "name", name);
	snag_json_end(j);
	snag_json_end(j);
}

static void held(struct snag_json *j, const struct snag_event *ev, const char *lock, uint64_t at)
{
	bool begins = ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED;
	char id[32];
	snprintf(id, sizeof(id), "%u.%u", ev->thread, ev->target);
	common(j, begins ? "b" : "e", ev->thread);
	snag_json_string(j, "cat", "lock");
	snag_json_string(j, "id", id);
	snag_json_string(j, "name", lock);
	snag_json_uint(j, "ts", at);
	snag_json_end(j);
}

static void event(struct snag_json *j, const struct snag_names *names, const struct snag_event *ev,
		  uint64_t at)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	char target[300] = "", words[400], place[1024];
	if (op->space != SNAG_SPACE_NONE)
		snag_variable_text(snag_name(names, op->space, ev->target), target, sizeof(target));
	snprintf(words, sizeof(words), "%s%s%s", op->text, target[0] ? " " : "", target);
	snag_location_text(names, ev->loc, place, sizeof(place));
	common(j, "X", ev->thread);
	snag_json_string(j, "name", words);
	snag_json_string(j, "cat", op->name);
	snag_json_uint(j, "ts", at);
	snag_json_uint(j, "dur", 1);
	snag_json_object(j, "args");
	snag_json_string(j, "place", place);
	snag_json_uint(j, "event", at);
	snag_json_end(j);
	snag_json_end(j);
	if (op->space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED))
		held(j, ev, target, at);
}

int snag_chrome_write(struct snag_source *src, struct snag_printer *to, struct snag_error *err)
{
	struct snag_batch batch;
	struct snag_json j;
	snag_tid named = 0;
	int rc;
	snag_json_init(&j, to);
	snag_json_object(&j, NULL);
	snag_json_string(&j, "displayTimeUnit", "ns");
	snag_json_array(&j, "traceEvents");
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		for (; named < batch.counts.n[SNAG_SPACE_THREAD]; named++)
			thread_name(&j, named, snag_name(src->names, SNAG_SPACE_THREAD, named));
		for (size_t i = 0; i < batch.n; i++)
			event(&j, src->names, &batch.ev[i], batch.first + i);
	}
	snag_json_end(&j);
	snag_json_end(&j);
	return rc;
}
