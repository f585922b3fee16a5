/* SPDX-License-Identifier: Apache-2.0
 *
 * detector.h - the interface every detector implements
 *
 * A detector receives one stream of events in trace order, in batches, and says
 * which accesses are racy.  That is all it does: it never opens a file, prints,
 * exits, or reads an environment variable.
 *
 * To add one: write detect/<name>.c exporting `snag_detector_<name>`, add its
 * line to detect/list.def, a page docs/algorithms/<name>.md, and expectations in
 * tests/traces/.  If another file has to change, the interface is wrong: fix the
 * interface.
 *
 * Time.      A point in thread t is a number of events of t: "u:5" means the first
 *            five events of u.  Every relation uses this one measure, so a clock
 *            (order/vclock.h) says for each thread how many of its first events
 *            are ordered before, and racing accesses can be found by position.
 * Threading: calls of one state never run concurrently.
 * Ownership: batches are borrowed for the call; the state belongs to the
 *            detector, from open() to close().
 */
#ifndef SNAG_DETECT_DETECTOR_H
#define SNAG_DETECT_DETECTOR_H

#include "order/vclock.h"
#include "trace/race.h"
#include "trace/source.h"

/* What a detector is given; outlives its state. */
struct snag_detector_env {
	/* The access `ev` with number `event` is racy: some earlier conflicting
	 * access of another thread is not ordered before it.  `before` is what is.
	 * The receiver finds the partners itself (detect/history.h). */
	void (*on_racy)(void *ctx, uint32_t event, const struct snag_event *ev,
			const struct snag_vclock *before);
	/* The pair (first, event) is suspicious, said outright: for detectors that
	 * are not relations. */
	void (*on_pair)(void *ctx, uint32_t first, uint32_t event, const struct snag_event *ev);
	void *ctx;
};

struct snag_detector {
	const char *name;      /* as typed in `snag analyze --with NAME` */
	const char *summary;   /* one line: the idea */
	const char *kind;      /* "relation", "lockset", ... */
	const char *guarantee; /* sound? complete? */
	const char *cost;      /* time and memory, in words */
	const char *reference;
	enum snag_verdict verdict; /* of a race it reports, before any witness */
	bool by_default;           /* run when no --with is given */

	void *(*open)(const struct snag_detector_env *env);
	void (*events)(void *state, const struct snag_batch *batch);
	void (*close)(void *state); /* accepts NULL */
};

extern const struct snag_detector *const snag_detectors[]; /* NULL-terminated, in the order of list.def */
const struct snag_detector *snag_detector_find(const char *name, size_t len);

/* ------ helper for implementations: one loop over a batch ------
 *
 * The table is a compile-time constant at every use, so that the compiler turns
 * the indirect calls into inlined code; a NULL handler costs nothing. */
typedef void snag_handler(void *state, const struct snag_event *ev, uint32_t event);

struct snag_handlers {
	snag_handler *read, *write;
	snag_handler *acquire, *release;
	snag_handler *acquire_shared, *release_shared;
	snag_handler *fork, *join;
	snag_handler *branch;
	snag_handler *atomic; /* ATOMIC_READ, ATOMIC_WRITE, ATOMIC_UPDATE, FENCE */
	snag_handler *any;    /* before the specific one, for every event */
};

static inline __attribute__((always_inline)) void snag_handlers_run(const struct snag_handlers *h, void *state,
								    const struct snag_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		uint32_t event = (uint32_t)(batch->first + i);
		if (h->any)
			h->any(state, ev, event);
#define CASE(op, handler) \
	case SNAG_OP_##op: \
		if (h->handler) \
			h->handler(state, ev, event); \
		break
#define CASE_LOCK(op, handler) \
	case SNAG_OP_##op: \
		if (h->handler && !(ev->flags & SNAG_NESTED)) \
			h->handler(state, ev, event); \
		break
		switch (ev->op) {
			CASE(READ, read);
			CASE(WRITE, write);
			CASE_LOCK(ACQUIRE, acquire);
			CASE_LOCK(RELEASE, release);
			CASE_LOCK(ACQUIRE_SHARED, acquire_shared);
			CASE_LOCK(RELEASE_SHARED, release_shared);
			CASE(FORK, fork);
			CASE(JOIN, join);
			CASE(BRANCH, branch);
			CASE(ATOMIC_READ, atomic);
			CASE(ATOMIC_WRITE, atomic);
			CASE(ATOMIC_UPDATE, atomic);
			CASE(FENCE, atomic);
		default:
			break;
		}
#undef CASE
#undef CASE_LOCK
	}
}

#endif
