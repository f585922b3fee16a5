/* SPDX-License-Identifier: Apache-2.0
 *
 * check_roundtrip.c - a trace written and read again is the same trace
 *
 * Reading goes through the rules of traces, so this also says that every trace the
 * generator makes obeys them, and that nested acquires are marked the same way.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/sink.h"

static enum outcome write_trace(const struct snag_trace *trace, const char *path,
				struct reason *why)
{
	struct snag_sink *sink;
	struct snag_error err;
	struct snag_batch batch = {
		.ev = trace->ev, .n = trace->n, .counts = snag_names_counts(&trace->names)};
	if (snag_sink_open(path, batch.counts.n[SNAG_SPACE_THREAD], &sink, &err) < 0)
		return check_fail(why, "open: %s", err.msg);
	if (snag_sink_write(sink, &batch, &trace->names, &err) < 0) {
		snag_sink_abort(sink);
		return check_fail(why, "write: %s", err.msg);
	}
	if (snag_sink_commit(sink, &err) < 0)
		return check_fail(why, "commit: %s", err.msg);
	return PASSED;
}

static enum outcome same_names(const struct snag_trace *a, const struct snag_trace *b,
			       struct reason *why)
{
	for (int s = 0; s < SNAG_SPACES; s++) {
		const struct snag_strtab *x = &a->names.space[s], *y = &b->names.space[s];
		if (x->n != y->n)
			return check_fail(why, "%u %s, then %u", x->n, snag_space_plural[s], y->n);
		for (uint32_t id = 0; id < x->n; id++)
			if (strcmp(snag_strtab_get(x, id), snag_strtab_get(y, id)) != 0)
				return check_fail(why, "%s %u is '%s', then '%s'",
						  snag_space_plural[s], id, snag_strtab_get(x, id),
						  snag_strtab_get(y, id));
	}
	return PASSED;
}

static enum outcome same_trace(const struct snag_trace *a, const struct snag_trace *b,
			       struct reason *why)
{
	if (a->n != b->n)
		return check_fail(why, "%zu events, then %zu", a->n, b->n);
	for (size_t e = 0; e < a->n; e++)
		if (memcmp(&a->ev[e], &b->ev[e], sizeof(a->ev[e])) != 0)
			return check_fail(
				why, "event %zu: %s flags %u loc %u, then %s flags %u loc %u", e,
				snag_op_info[a->ev[e].op].text, a->ev[e].flags, a->ev[e].loc,
				snag_op_info[b->ev[e].op].text, b->ev[e].flags, b->ev[e].loc);
	return same_names(a, b, why);
}

static enum outcome roundtrip(struct subject *s, const char *extension, struct reason *why)
{
	const char *dir = getenv("TMPDIR");
	char path[512];
	struct snag_trace back;
	struct snag_error err;
	snprintf(path, sizeof(path), "%s/snag-oracle-%d.%s", dir ? dir : "/tmp", (int)getpid(),
		 extension);
	enum outcome outcome = write_trace(s->trace, path, why);
	if (outcome != PASSED)
		return outcome;
	snag_trace_init(&back);
	if (snag_trace_load_file(&back, path, &(struct snag_source_options){0}, &err) < 0)
		outcome = check_fail(why, "read: %s", err.msg);
	else
		outcome = same_trace(s->trace, &back, why);
	snag_trace_done(&back);
	unlink(path);
	return outcome;
}

enum outcome check_std(struct subject *s, struct reason *why)
{
	return roundtrip(s, "std", why);
}

enum outcome check_binary(struct subject *s, struct reason *why)
{
	return roundtrip(s, "snag", why);
}
