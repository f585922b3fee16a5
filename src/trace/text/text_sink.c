/* SPDX-License-Identifier: Apache-2.0
 *
 * text_sink.c - what the writers of text traces have in common
 *
 * Cost.  Each name is looked at once; only if one of them cannot be written, the
 *        names of each event are looked at, to find the event that uses it.
 */
#include "trace/text/text_sink.h"

#include "base/memory.h"

enum { FLUSH_BYTES = 1 << 16 };

char *snag_text_sink_room(struct snag_text_sink *sink, size_t nbytes)
{
	sink->text = snag_grow(sink->text, &sink->cap, sink->n + nbytes, 1);
	return sink->text + sink->n;
}

static bool name_ok(const struct snag_text_sink *s, const struct snag_strtab *t, uint32_t id)
{
	return snag_text_name_ok(snag_strtab_get(t, id), snag_strtab_len(t, id),
				 s->layout->separator);
}

static void names_check(struct snag_text_sink *s, const struct snag_names *names)
{
	for (int space = 0; space < SNAG_SPACES; space++) {
		const struct snag_strtab *t = &names->space[space];
		if (!s->layout->writes[space])
			continue;
		for (uint32_t *id = &s->checked[space]; *id < t->n; ++*id)
			s->has_bad_names |= !name_ok(s, t, *id);
	}
}

static int name_check(const struct snag_text_sink *s, uint64_t number,
		      const struct snag_names *names, enum snag_space space, uint32_t id,
		      struct snag_error *err)
{
	char quote[SNAG_TEXT_QUOTE];
	if (space == SNAG_SPACE_NONE || !s->layout->writes[space] ||
	    name_ok(s, &names->space[space], id))
		return 0;
	const struct snag_strtab *t = &names->space[space];
	return snag_fail(err, SNAG_EINPUT, "%s: event %llu: %s cannot hold the name '%s'",
			 snag_output_name(s->out), (unsigned long long)number, s->layout->name,
			 snag_text_quote(quote, snag_strtab_get(t, id), snag_strtab_len(t, id)));
}

static int event_check(const struct snag_text_sink *s, uint64_t number, const struct snag_event *ev,
		       const struct snag_names *names, struct snag_error *err)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	if (!snag_text_has(ev->op))
		return snag_fail(err, SNAG_EINPUT, "%s: event %llu: %s cannot express '%s' (%s)",
				 snag_output_name(s->out), (unsigned long long)number,
				 s->layout->name, op->text, op->about);
	if (!s->has_bad_names)
		return 0;
	int rc = name_check(s, number, names, SNAG_SPACE_THREAD, ev->thread, err);
	if (rc == 0)
		rc = name_check(s, number, names, op->space, ev->target, err);
	if (rc == 0)
		rc = name_check(s, number, names, SNAG_SPACE_LOCATION, ev->loc, err);
	return rc;
}

static int text_flush(struct snag_text_sink *s, struct snag_error *err)
{
	size_t n = s->n;
	s->n = 0;
	return snag_output_write(s->out, s->text, n, err);
}

static int text_write(struct snag_sink *sink, const struct snag_batch *batch,
		      const struct snag_names *names, struct snag_error *err)
{
	struct snag_text_sink *s = (struct snag_text_sink *)sink;
	int rc = 0;
	names_check(s, names);
	for (size_t i = 0; i < batch->n && rc == 0; i++) {
		const struct snag_event *ev = &batch->ev[i];
		rc = event_check(s, batch->first + i, ev, names, err);
		if (rc == 0)
			rc = s->layout->put(s, batch->first + i, ev, names, err);
		if (rc == 0 && s->n >= FLUSH_BYTES)
			rc = text_flush(s, err);
	}
	return rc;
}

static void text_free(struct snag_text_sink *s)
{
	free(s->text);
	free(s);
}

static int text_commit(struct snag_sink *sink, struct snag_error *err)
{
	struct snag_text_sink *s = (struct snag_text_sink *)sink;
	int rc = text_flush(s, err);
	if (rc == 0)
		rc = snag_output_commit(s->out, err);
	else
		snag_output_abort(s->out);
	text_free(s);
	return rc;
}

static void text_abort(struct snag_sink *sink)
{
	struct snag_text_sink *s = (struct snag_text_sink *)sink;
	snag_output_abort(s->out);
	text_free(s);
}

static void text_keep(struct snag_sink *sink)
{
	snag_output_keep(((struct snag_text_sink *)sink)->out);
}

static const struct snag_sink_ops text_sink_ops = {
	.write = text_write, .commit = text_commit, .abort = text_abort, .keep = text_keep};

struct snag_text_sink *snag_text_sink_new(const struct snag_text_layout *layout,
					  struct snag_output *out)
{
	struct snag_text_sink *s = snag_calloc(1, layout->nbytes);
	s->base.ops = &text_sink_ops;
	s->layout = layout;
	s->out = out;
	return s;
}
