/* SPDX-License-Identifier: Apache-2.0
 *
 * windows.c - detectors that need a trace in memory, on a trace that is too long for that
 *
 * State.  hold[]      the locks held where the window begins, as lists by lock; free ones as a list
 *         first[l]    1 + the first hold of lock l, or 0
 *         window      the head and the events of the window, as a slice of the whole trace
 */
#include "detect/analyze/windows.h"

#include "base/memory.h"
#include "base/slots.h"
#include "detect/analyze/analyze_run.h"
#include "detect/analyze/window_pairs.h"
#include "witness/decide/ops.h"

#include <string.h>

struct hold {
	struct snag_event ev; /* the acquire */
	uint32_t number;      /* in the whole trace */
	uint32_t next;	      /* 1 + another hold of the lock, or a free one; 0: none */
	bool is_held;
};

struct merging { /* of one detector */
	struct snag_collector *collector;
	struct snag_slots slots; /* races by locations or, with `pairs`, by events */
	bool is_complete;
};

struct reading {
	const struct snag_windows *windows;
	struct snag_analyze_options options; /* of a window */
	struct snag_error *err;
	int rc;
	struct hold *hold;
	size_t nholds, hold_cap;
	uint32_t free_holds;
	uint32_t *first; /* by lock */
	size_t first_cap;
	struct merging merging[SNAG_MAX_DETECTORS];
	uint64_t nwindows;
	bool is_stopped;
};

size_t snag_windows_events(const struct snag_analyze_options *options, uint32_t nvariables)
{
	enum { CONTENDED_BYTES = 16 };
	uint64_t variables = (uint64_t)nvariables * CONTENDED_BYTES, memory = options->memory;
	if (!memory || options->stages != SNAG_STAGES_EXACT)
		return SIZE_MAX;
	memory = variables < memory / 4 * 3 ? memory - variables : memory / 4;
	uint64_t n = memory / SNAG_WINDOW_EVENT_BYTES;
	return n < SNAG_WINDOW_LEAST ? SNAG_WINDOW_LEAST : n;
}

static void hold_add(struct reading *r, const struct snag_event *ev, uint32_t number)
{
	r->first = snag_grow(r->first, &r->first_cap, (size_t)ev->target + 1, sizeof(*r->first));
	uint32_t link = r->free_holds;
	if (link) {
		r->free_holds = r->hold[link - 1].next;
	} else {
		r->hold = snag_grow(r->hold, &r->hold_cap, r->nholds + 1, sizeof(*r->hold));
		link = (uint32_t)++r->nholds;
	}
	r->hold[link - 1] = (struct hold){*ev, number, r->first[ev->target], true};
	r->first[ev->target] = link;
}

static void hold_remove(struct reading *r, const struct snag_event *ev)
{
	uint32_t *link = ev->target < r->first_cap ? &r->first[ev->target] : NULL;
	while (link && *link && r->hold[*link - 1].ev.thread != ev->thread)
		link = &r->hold[*link - 1].next;
	if (!link || !*link)
		return;
	uint32_t gone = *link;
	*link = r->hold[gone - 1].next;
	r->hold[gone - 1] = (struct hold){.next = r->free_holds};
	r->free_holds = gone;
}

/* Begins the next window n events later. */
static void window_advance(struct reading *r, struct snag_slice *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct snag_event *ev = &s->trace.ev[i];
		if (ev->flags & SNAG_NESTED)
			continue;
		if (snag_op_acquires(ev->op))
			hold_add(r, ev, s->number[i]);
		else if (snag_op_releases(ev->op))
			hold_remove(r, ev);
	}
	s->trace.n -= n;
	memmove(s->trace.ev, s->trace.ev + n, s->trace.n * sizeof(*s->trace.ev));
	memmove(s->number, s->number + n, s->trace.n * sizeof(*s->number));
}

static void window_append(struct snag_slice *w, const struct snag_event *ev, uint32_t number)
{
	size_t n = w->trace.n + 1;
	w->trace.ev = snag_huge_grow(w->trace.ev, &w->trace.cap, n, sizeof(*ev));
	w->number = snag_huge_grow(w->number, &w->number_cap, n, sizeof(*w->number));
	w->number[w->trace.n] = number;
	w->trace.ev[w->trace.n++] = *ev;
}

static int hold_compare(const void *a, const void *b)
{
	const struct hold *x = a, *y = b;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* [head] The threads that started before the window: those with events, and no fork before the
 * first. */
static bool *threads_at_begin(const struct snag_slice *s)
{
	enum { UNSEEN, FORKED, THERE };
	uint32_t n = s->counts.n[SNAG_SPACE_THREAD];
	uint8_t *seen = snag_calloc(n, 1);
	bool *is_there = snag_calloc(n, sizeof(*is_there));
	for (size_t i = 0; i < s->trace.n; i++) {
		const struct snag_event *ev = &s->trace.ev[i];
		if (seen[ev->thread] == UNSEEN)
			seen[ev->thread] = THERE;
		if (ev->op == SNAG_OP_FORK && seen[ev->target] == UNSEEN)
			seen[ev->target] = FORKED;
	}
	for (uint32_t i = 0; i < n; i++)
		is_there[i] = seen[i] == THERE;
	free(seen);
	return is_there;
}

static void head_append(const struct reading *r, const struct snag_slice *s, struct snag_slice *w)
{
	const uint32_t barrier = (uint32_t)s->nvariables; /* a variable of the window alone */
	struct hold *held = snag_realloc(NULL, r->nholds, sizeof(*held));
	size_t n = 0;
	for (size_t i = 0; i < r->nholds; i++)
		if (r->hold[i].is_held)
			held[n++] = r->hold[i];
	if (n > 1)
		qsort(held, n, sizeof(*held), hold_compare);
	for (size_t i = 0; i < n; i++)
		window_append(w, &held[i].ev, held[i].number);
	bool *is_there = n ? threads_at_begin(s) : NULL;
	bool *has_updated = n ? snag_calloc(s->counts.n[SNAG_SPACE_THREAD], 1) : NULL;
	for (size_t i = 0; i < n; i++) {
		struct snag_event ev = {.thread = held[i].ev.thread,
					.target = barrier,
					.op = SNAG_OP_ATOMIC_UPDATE,
					.flags = SNAG_SEQ_CST,
					.size = 8};
		if (!has_updated[ev.thread])
			window_append(w, &ev, SNAG_NO_EVENT);
		has_updated[ev.thread] = true;
	}
	for (uint32_t i = 0; n && i < s->counts.n[SNAG_SPACE_THREAD]; i++)
		if (is_there[i])
			window_append(w,
				      &(struct snag_event){.thread = i,
							   .target = barrier,
							   .op = SNAG_OP_ATOMIC_READ,
							   .flags = SNAG_SEQ_CST,
							   .size = 8},
				      SNAG_NO_EVENT);
	w->head = (uint32_t)w->trace.n;
	free(held);
	free(is_there);
	free(has_updated);
}

/* Borrows the parts of the slice, except events and numbers. */
static void window_make(const struct reading *r, const struct snag_slice *s, struct snag_slice *w)
{
	snag_slice_init(w);
	head_append(r, s, w);
	for (size_t i = 0; i < s->trace.n; i++)
		window_append(w, &s->trace.ev[i], s->number[i]);
	for (int space = 0; space < SNAG_SPACES; space++)
		snag_strtab_sparse(&w->trace.names.space[space],
				   space == SNAG_SPACE_VARIABLE ? (uint32_t)s->nvariables + 1
								: s->counts.n[space]);
	w->variable = s->variable;
	w->stretches = s->stretches;
	w->counts = s->counts;
	w->begin = s->number[0];
}

static void window_drop(struct snag_slice *w)
{
	w->variable = NULL;
	memset(&w->stretches, 0, sizeof(w->stretches));
	snag_slice_done(w);
}

/* [merge] */
struct key {
	uint32_t a, b; /* a <= b */
};

static struct key key_of(const struct merging *m, const struct snag_race *race)
{
	uint32_t a = m->collector->pairs ? race->first.event : race->first.loc;
	uint32_t b = m->collector->pairs ? race->second.event : race->second.loc;
	return a < b ? (struct key){a, b} : (struct key){b, a};
}

static uint64_t race_hash(const void *ctx, uint32_t number)
{
	const struct merging *m = ctx;
	struct key key = key_of(m, &m->collector->findings->race[number]);
	return snag_hash(key.a, key.b);
}

static bool race_equals(const void *ctx, uint32_t number, const void *sought)
{
	const struct merging *m = ctx;
	const struct key *key = sought, have = key_of(m, &m->collector->findings->race[number]);
	return have.a == key->a && have.b == key->b;
}

/* Takes the race over. */
static void race_merge(struct merging *m, struct snag_race *race)
{
	struct snag_findings *f = m->collector->findings;
	struct key key = key_of(m, race);
	uint32_t number = snag_slots_find(&m->slots, snag_hash(key.a, key.b), race_equals, m, &key);
	if (number == SNAG_SLOTS_NONE) {
		f->race = snag_grow(f->race, &f->race_cap, f->nraces + 1, sizeof(*f->race));
		f->race[f->nraces] = *race;
		snag_slots_add(&m->slots, (uint32_t)f->nraces++, race_hash, m);
	} else {
		struct snag_race *have = &f->race[number];
		uint64_t count = have->count > race->count ? have->count : race->count;
		if (race->verdict < have->verdict) {
			struct snag_race other = *have;
			*have = *race;
			*race = other;
		}
		have->count = count;
		snag_race_done(race);
	}
	memset(race, 0, sizeof(*race));
}

static void findings_merge(struct merging *m, struct snag_findings *from)
{
	struct snag_findings *f = m->collector->findings;
	for (size_t i = 0; i < from->nraces; i++)
		race_merge(m, &from->race[i]);
	f->racy = snag_grow(f->racy, &f->racy_cap, f->nracy + from->nracy, sizeof(*f->racy));
	for (size_t i = 0; i < from->nracy; i++)
		f->racy[f->nracy++] = from->racy[i];
	f->at_least |= from->at_least;
	f->abridged += from->abridged;
	f->seconds += from->seconds;
	m->is_complete &= from->complete;
}

/* Analyses the window as a trace of its own. */
static void window_analyze(struct reading *r, struct snag_slice *w)
{
	struct snag_analysis a;
	struct snag_source *src = snag_trace_source(&w->trace);
	r->rc = snag_analyze_whole(&(struct snag_whole){.src = src, .trace = &w->trace},
				   &r->options, &a, r->err);
	snag_source_close(src);
	if (r->rc < 0)
		return;
	for (size_t i = 0; i < a.n; i++) {
		snag_slice_translate(w, &a.findings[i]);
		findings_merge(&r->merging[i], &a.findings[i]);
	}
	r->is_stopped |= a.interrupted;
	snag_analysis_done(&a);
}

static void window_run(struct reading *r, struct snag_slice *s)
{
	const struct snag_windows *windows = r->windows;
	struct snag_slice w;
	window_make(r, s, &w);
	if (r->options.ndetectors)
		window_analyze(r, &w);
	if (r->rc == 0 && !r->is_stopped)
		snag_window_pairs_decide(&w, windows->relation, windows->nrelations,
					 r->options.stop);
	r->is_stopped |= snag_run_is_stopped(&r->options);
	r->nwindows++;
	window_drop(&w);
}

static bool on_full(void *ctx, struct snag_slice *s)
{
	struct reading *r = ctx;
	window_run(r, s);
	if (r->rc < 0 || r->is_stopped)
		return false;
	window_advance(r, s, s->trace.n / 2);
	return true;
}

static void reading_init(struct reading *r, const struct snag_windows *w, struct snag_error *err)
{
	*r = (struct reading){.windows = w, .options = *w->options, .err = err};
	r->options.ndetectors = 0;
	r->options.memory = 0;
	r->options.progress = NULL;
	r->options.follow = NULL;
	r->options.brief = true; /* the whole trace is read for details, afterwards */
	for (size_t i = 0; i < w->options->ndetectors; i++)
		if (w->options->detector[i]->finish && !w->is_out[i] &&
		    !w->options->detector[i]->no_windows) {
			r->merging[r->options.ndetectors] = (struct merging){
				.collector = &w->collector[i], .is_complete = true};
			r->options.detector[r->options.ndetectors++] = w->options->detector[i];
		}
}

static void findings_end(struct reading *r, struct merging *m)
{
	struct snag_findings *f = m->collector->findings;
	bool is_one = r->nwindows <= 1 && !r->is_stopped;
	f->complete = is_one && m->is_complete;
	f->windows = is_one ? 0 : r->nwindows;
	f->window_events = is_one ? 0 : r->windows->events;
	f->at_least |= !is_one;
	for (size_t i = 0; i < f->nraces; i++)
		f->npairs += f->race[i].count;
	m->collector->is_unsorted = true;
	snag_slots_done(&m->slots);
}

static void relation_end(const struct reading *r, struct snag_findings *f)
{
	f->windows = r->nwindows;
	f->window_events = r->windows->events;
	f->decided_in_windows = true;
}

int snag_windows_analyze(const struct snag_windows *w, struct snag_source *src,
			 struct snag_analysis *a, struct snag_error *err)
{
	struct reading r;
	struct snag_slice s;
	reading_init(&r, w, err);
	snag_slice_init(&s);
	const struct snag_slice_options options = {
		.contended = w->contended, .most = w->events, .on_full = on_full, .full_ctx = &r};
	int rc = snag_slice_read(&s, &options, src, err);
	if (rc == 0 && s.trace.n)
		window_run(&r, &s);
	rc = rc < 0 ? rc : r.rc;
	for (size_t i = 0; i < r.options.ndetectors; i++)
		findings_end(&r, &r.merging[i]);
	for (size_t i = 0; i < w->nrelations; i++)
		relation_end(&r, w->relation[i]->findings);
	a->interrupted |= r.is_stopped;
	if (rc == 0) {
		snag_stretches_done(&a->stretches);
		a->stretches = s.stretches;
		memset(&s.stretches, 0, sizeof(s.stretches));
	}
	if (rc == 0 && w->contended) {
		a->names = snag_alloc(sizeof(*a->names));
		snag_slice_names(&s, s.counts.n[SNAG_SPACE_VARIABLE], a->names);
	}
	snag_slice_done(&s);
	free(r.hold);
	free(r.first);
	return rc;
}
