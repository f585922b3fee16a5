/* SPDX-License-Identifier: Apache-2.0
 *
 * loop.c - worksharing loops and sections, ordered, doacross
 *
 * Idea.   A schedule only promises that some iterations stay together (a chunk).  Whatever the
 *         schedule is, the threads get chunks in turn (deal.h), and each chunk is a segment,
 *         parallel to all others.  In a loop with ordered regions one thread gets all chunks, in
 *         order, so that no thread has to wait; so in a loop with inscan, whose private copies hold
 *         the sums so far.
 *
 * Rules.  [next]     Without a chunk size a chunk is one iteration, so there may be millions.  Most
 *                    only access memory: then the library reports the end of one and the beginning
 *                    of the next together.
 *         [record]   A recorded iteration costs memory for good.  In a run with millions of them
 *                    the library merges later ones into one segment, and tells the detector.
 *         [simd]     simd.c orders iterations of simd loops.
 *         [static]   Take two static loops with as many iterations and the same chunk size (or
 *                    none), in one region, without a barrier in between.  Their chunks of the same
 *                    number run on the same thread.  Therefore the segments of a nowait loop are
 *                    kept until the barrier, and go on in the next such loop, after what their
 *                    thread did meanwhile.  If that chunk is dealt to another thread, this thread
 *                    waits until the earlier chunk is done.
 *         [ordered]  The ordered region of a chunk gets the promise of the region before.
 *         [iterate]  Compilers run some loops by themselves (cc/openmp/openmp_nest.h).  These
 *                    report where an iteration begins and ends; each is a segment.
 *         [post]     In a doacross loop each iteration that posts sets a promise; an iteration that
 *                    waits for it gets the promise.
 */
#include "omp/core.h"

struct mp_schedule mp_schedule_decode(uint64_t chunk)
{
	if (!(chunk & MP_CHUNK_STATIC))
		return (struct mp_schedule){.chunk = chunk};
	if (chunk == MP_CHUNK_SCAN)
		return (struct mp_schedule){.is_scan = true};
	if ((chunk & MP_CHUNK_SECTIONS) == MP_CHUNK_SECTIONS)
		return (struct mp_schedule){.chunk = 1, .is_sections = true};
	if ((chunk & MP_CHUNK_SIMD) == MP_CHUNK_SIMD)
		return (struct mp_schedule){.safe = chunk & MP_CHUNK_MASK};
	return (struct mp_schedule){.chunk = chunk & MP_CHUNK_MASK,
				    .is_static = true,
				    .is_nowait = chunk & MP_CHUNK_NOWAIT};
}

/* The data of a loop with ordered regions that its threads share. The last thread that leaves
 * the loop frees it. */
struct mp_loop_shared {
	struct mp_loop_shared *next;
	unsigned number; /* the number of the loop in its region */
	int left;
	struct mp_dealt dealt;
	bool is_taken; /* a thread executes it */
	bool is_counted;
	uint32_t nbefore; /* [static] how many such loops the phase had before */
	bool is_cancelled;
	uint64_t chunk;	      /* [record]; 0: the program gives none */
	void *common;	      /* memory of the program's */
	uint32_t last;	      /* ordered: the promise of the chunk before, + 1 */
	unsigned ndims;	      /* doacross */
	int64_t *bounds;      /* lower, upper, stride of each */
	struct mp_map posted; /* by iteration: its promise, + 1 */
};

static struct mp_loop_shared *shared_get(struct mp_task *t)
{
	struct mp_loop_shared **at = &t->team->loops;
	unsigned number = t->loops;
	while (*at && (*at)->number != number)
		at = &(*at)->next;
	if (!*at) {
		*at = mp_alloc(sizeof(**at));
		(*at)->number = number;
	}
	return *at;
}

static void shared_free(struct mp_loop_shared *s)
{
	mp_map_free(&s->posted);
	mp_dealt_free(&s->dealt);
	mp_free(s->bounds);
	mp_free(s->common);
	mp_free(s);
}

static void shared_leave(struct mp_task *t, struct mp_loop_shared *s)
{
	struct mp_loop_shared **at = &t->team->loops;
	if (++s->left < t->team->n)
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	shared_free(s);
}

void mp_loops_free(struct mp_team *team)
{
	while (team->loops) {
		struct mp_loop_shared *s = team->loops;
		team->loops = s->next;
		shared_free(s);
	}
}

enum { MOST_KEPT = 1 << 20 }; /* segments of one loop */

/* [static] The segments of this loop; NULL: they end with their chunks. */
static struct mp_static *statics_get(struct mp_task *t, const struct mp_loop *loop,
				     const struct mp_schedule *schedule)
{
	struct mp_static *s = t->team->statics;
	if (!mp.hooks || loop->nchunks > MOST_KEPT || !schedule->is_static || !t->team->is_reported)
		return NULL;
	while (s && (s->count != loop->count || s->chunk != schedule->chunk))
		s = s->next;
	if (s || !schedule->is_nowait)
		return s;
	s = mp_alloc(sizeof(*s));
	s->count = loop->count;
	s->chunk = schedule->chunk;
	s->cap = loop->nchunks;
	s->segment = mp_alloc(s->cap * sizeof(*s->segment));
	s->ndone = mp_alloc(s->cap * sizeof(*s->ndone));
	s->next = t->team->statics;
	t->team->statics = s;
	return s;
}

/* [record] The first thread that arrives decides for all. */
static void chunk_record(const struct mp_task *t, struct mp_loop *loop)
{
	enum { MOST = 1 << 21, LEAST = 1 << 14 };
	struct mp_loop_shared *s = loop->shared;
	if (!mp.hooks || !t->team->is_reported || mp_asks(SNAG_OMP_IS_APART))
		return;
	if (!s->chunk) {
		uint64_t parts = mp.nrecorded < MOST - LEAST ? MOST - mp.nrecorded : LEAST;
		s->chunk = loop->count > parts ? (loop->count - 1) / parts + 1 : 1;
		mp.nrecorded += loop->count / s->chunk;
	}
	if (s->chunk == 1)
		return;
	mp_obstacle(SNAG_OMP_OBSTACLE_ITERATIONS_TOGETHER);
	loop->chunk = s->chunk;
	loop->nchunks = (loop->count - 1) / loop->chunk + 1;
}

/* Decides which chunks the thread gets. */
static void chunks_deal(struct mp_task *t, struct mp_loop *loop, const struct mp_schedule *schedule)
{
	struct mp_loop_shared *s = loop->shared;
	bool is_one = schedule->is_ordered || loop->is_doacross || schedule->is_scan;
	bool is_long = schedule->is_static && loop->nchunks > MOST_KEPT; /* [block] */
	struct mp_dealt *dealt = is_long ? &t->team->deals.blocks : &s->dealt;
	int n, place = mp_deal_place(t, dealt, &n);
	loop->has_zero = schedule->is_static && schedule->chunk && !is_one; /* [zero] */
	loop->next = place < 0 ? loop->nchunks : (uint64_t)place;
	loop->step = (uint64_t)n;
	if (is_one) {
		loop->next = s->is_taken || place < 0 ? loop->nchunks : 0;
		loop->step = 1;
		s->is_taken |= place >= 0;
	} else if (loop->has_zero && dealt->thread && dealt->thread[0] != 0) {
		loop->next = t->number == 0 ? 0 : place < 0 ? loop->nchunks : 1 + (uint64_t)place;
		loop->step = t->number == 0 ? loop->nchunks : (uint64_t)n;
	}
}

void mp_loop_begin(uint64_t count, struct mp_schedule schedule)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_loop *loop = &t->loop;
	struct mp_loop_shared *doacross = loop->shared; /* begun just before */
	int n = t->team->n;
	*loop = (struct mp_loop){
		.count = count,
		.chunk = schedule.chunk ? schedule.chunk : 1,
		.is_open = true,
		.is_sections = schedule.is_sections,
		.shared = doacross,
		.is_doacross = doacross != NULL,
	};
	bool is_one_by_one = schedule.is_ordered || schedule.is_sections || doacross;
	if (!t->team->is_reported)
		loop->chunk = is_one_by_one || !count ? 1 : count;
	if (!mp.hooks && !schedule.chunk && !schedule.is_ordered && !doacross && count)
		loop->chunk = (count - 1) / (uint64_t)n + 1; /* no detector observes it */
	loop->nchunks = count / loop->chunk + (count % loop->chunk != 0);
	if (!doacross) {
		t->loops++;
		loop->shared = shared_get(t);
	}
	loop->kept = statics_get(t, loop, &schedule);
	if (!loop->kept && !schedule.chunk && !is_one_by_one && !schedule.is_scan)
		chunk_record(t, loop);
	chunks_deal(t, loop, &schedule);
	mp_alike_look(t);
	loop->is_simple = !schedule.is_ordered && !doacross && !loop->kept;
	if (t->team->lockstep) /* [simd] */
		loop->is_simple &= !mp_lockstep_loop(t->team->lockstep, schedule.safe);
	if (loop->kept && !loop->shared->is_counted) {
		loop->shared->is_counted = true;
		loop->shared->nbefore = loop->kept->nloops++;
	}
	if (loop->kept) { /* [static] the kept segments continue after what the thread did so far */
		loop->promise = mp_promise();
		mp_report(SNAG_OP_PROMISE_SET, loop->promise);
	}
}

void mp_chunk_end(struct mp_task *t)
{
	struct mp_static *kept = t->loop.is_open ? t->loop.kept : NULL;
	if (!kept || t->id == t->base_id ||
	    (!kept->segment[t->loop.chunk_now] && !mp_asks(SNAG_OMP_WAS_REPORTED))) {
		mp_segment_end(t);
		return;
	}
	kept->segment[t->loop.chunk_now] = t->id;
	mp_segment_leave(t);
}

static inline enum snag_omp_label chunk_label(const struct mp_loop *loop)
{
	return loop->is_sections ? SNAG_OMP_SECTION : SNAG_OMP_ITERATION;
}

/* [static] Waits until the thread with this chunk has executed it in the earlier loops. */
static void chunk_await(const struct mp_task *t, const struct mp_loop *loop)
{
	const struct mp_static *kept = loop->kept;
	const void *place = mp.place;
	while (kept->ndone[loop->chunk_now] < loop->shared->nbefore && !kept->is_cut &&
	       !t->team->is_cancelled && mp_yield())
		;
	mp.place = place;
}

static void chunk_begin(struct mp_task *t, uint64_t chunk)
{
	struct mp_static *kept = t->loop.kept;
	if (kept)
		chunk_await(t, &t->loop);
	mp_deal_part(t, t->loop.has_zero && chunk == 0);
	if (kept && kept->segment[chunk] && !t->knows_number) {
		mp_segment_enter(t, kept->segment[chunk]);
		mp_report(SNAG_OP_PROMISE_GET, t->loop.promise);
		return;
	}
	mp_segment_begin(t);
	if (t->id != t->base_id)
		mp_label(t->id, chunk_label(&t->loop), t->loop.from);
}

/* The next chunk of the calling thread, if there is one. */
static bool chunk_next(struct mp_task *t)
{
	struct mp_loop *loop = &t->loop;
	if (loop->next >= loop->nchunks || loop->is_cancelled || loop->shared->is_cancelled)
		return false;
	loop->chunk_now = loop->next;
	loop->from = loop->next * loop->chunk;
	loop->next += loop->step;
	loop->n = loop->count - loop->from < loop->chunk ? loop->count - loop->from : loop->chunk;
	return true;
}

static void loop_over(struct mp_task *t)
{
	struct mp_loop *loop = &t->loop;
	loop->is_open = false;
	if (loop->is_doacross)
		return;
	shared_leave(t, loop->shared);
	loop->shared = NULL;
}

/* Returns whether the current segment leaves nothing behind, and the caller wants another one
 * that is the same. */
static inline bool is_as_before(const struct mp_task *t) /* [next] */
{
	return t->loop.is_simple && t->id != t->base_id && !t->has_spawned && !t->held &&
	       !t->depends;
}

/* [simd] */
static inline bool is_in_lockstep(const struct mp_task *t)
{
	return t->team->lockstep && t->id != t->base_id;
}

bool mp_loop_next(uint64_t *ret_from, uint64_t *ret_n)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_loop *loop = &t->loop;
	if (!loop->is_open)
		return false;
	bool goes_on = is_as_before(t) && chunk_next(t);
	if (!goes_on) {
		if (is_in_lockstep(t))
			mp_lockstep_iteration(t->team->lockstep, false);
		mp_chunk_end(t);
		if (loop->kept && loop->n)
			loop->kept->ndone[loop->chunk_now]++;
		if (!chunk_next(t)) {
			loop_over(t);
			return false;
		}
		chunk_begin(t, loop->chunk_now);
		if (is_in_lockstep(t))
			mp_lockstep_iteration(t->team->lockstep, true);
	} else {
		mp_deal_part(t, false);
		t->id = mp.hooks->segment_next(t->id, t->base_id, mp.place, chunk_label(loop),
					       loop->from);
	}
	*ret_from = loop->from;
	*ret_n = loop->n;
	return true;
}

void mp_loop_end(void)
{
	struct mp_loop *loop = &mp_implicit(mp.now->task)->loop;
	uint64_t from, n;
	loop->is_cancelled = true;
	mp_loop_next(&from, &n);
	if (loop->is_doacross)
		mp_doacross_end();
}

void *mp_loop_common(size_t nbytes)
{
	struct mp_loop_shared *s = mp_implicit(mp.now->task)->loop.shared;
	if (!s->common)
		s->common = mp_alloc(nbytes);
	return s->common;
}

void mp_loop_cancel(struct mp_task *t)
{
	t->loop.is_cancelled = true;
	if (t->loop.shared)
		t->loop.shared->is_cancelled = true;
	if (t->loop.is_open && t->loop.kept)
		t->loop.kept->is_cut = true;
}

bool mp_loop_is_cancelled(const struct mp_task *t)
{
	return t->loop.is_cancelled || (t->loop.shared && t->loop.shared->is_cancelled);
}

bool mp_loop_is_last(void)
{
	const struct mp_loop *loop = &mp_implicit(mp.now->task)->loop;
	return loop->from + loop->n == loop->count;
}

int mp_loop_block(int *ret_n)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	return mp_deal_place(t, &t->team->deals.blocks, ret_n);
}

bool mp_iteration(void) /* [iterate] */
{
	struct mp_task *t = mp_implicit(mp.now->task);
	t->is_iterating = !t->is_iterating;
	t->is_together = false;
	mp_segment_end(t); /* also if it is the block of a thread */
	if (t->is_iterating) {
		mp_deal_part(t, false);
		mp_segment_begin(t);
	}
	if (t->id != t->base_id)
		mp_label(t->id, SNAG_OMP_PART, (uint64_t)t->number);
	return t->is_iterating;
}

void mp_iteration_leave(struct mp_task *t)
{
	if (t->is_implicit)
		t->is_iterating = false;
}

void mp_ordered_begin(void) /* [ordered] */
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_loop_shared *s = t->loop.shared;
	if (s && t->team->is_reported && s->last)
		mp_report(SNAG_OP_PROMISE_GET, s->last - 1);
}

void mp_ordered_end(void)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_loop_shared *s = t->loop.shared;
	if (!s || !t->team->is_reported)
		return;
	uint32_t promise = mp_promise();
	mp_report(SNAG_OP_PROMISE_SET, promise);
	s->last = promise + 1;
}

void mp_doacross_begin(unsigned ndims, const int64_t *lower, const int64_t *upper,
		       const int64_t *stride)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	t->loops++;
	struct mp_loop_shared *s = shared_get(t);
	if (!s->bounds) {
		s->ndims = ndims;
		s->bounds = mp_alloc(3 * ndims * sizeof(*s->bounds));
		for (unsigned i = 0; i < ndims; i++) {
			s->bounds[3 * i] = lower[i];
			s->bounds[3 * i + 1] = upper[i];
			s->bounds[3 * i + 2] = stride[i];
		}
	}
	t->loop = (struct mp_loop){.shared = s};
}

/* Returns the number of an iteration, + 1; 0: the loop has no such iteration. */
static uint64_t iteration_of(const struct mp_loop_shared *s, const int64_t *at)
{
	uint64_t number = 0;
	for (unsigned i = 0; i < s->ndims; i++) {
		int64_t lower = s->bounds[3 * i], upper = s->bounds[3 * i + 1];
		int64_t stride = s->bounds[3 * i + 2] ? s->bounds[3 * i + 2] : 1;
		int64_t k = (at[i] - lower) / stride, n = (upper - lower) / stride + 1;
		if ((at[i] - lower) % stride != 0 || k < 0 || k >= n)
			return 0;
		number = number * (uint64_t)n + (uint64_t)k;
	}
	return number + 1;
}

static uint32_t *posted_at(struct mp_loop_shared *s, uint64_t iteration)
{
	return (uint32_t *)mp_map_at(&s->posted, (const void *)(uintptr_t)iteration);
}

void mp_doacross_post(const int64_t *at)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_loop_shared *s = t->loop.shared;
	uint64_t iteration = s ? iteration_of(s, at) : 0;
	if (!iteration || !t->team->is_reported || *posted_at(s, iteration))
		return;
	uint32_t promise = mp_promise();
	mp_report(SNAG_OP_PROMISE_SET, promise);
	*posted_at(s, iteration) = promise + 1;
}

void mp_doacross_wait(const int64_t *at)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_loop_shared *s = t->loop.shared;
	uint64_t iteration = s ? iteration_of(s, at) : 0;
	if (!iteration || !t->team->is_reported)
		return;
	if (*posted_at(s, iteration))
		mp_report(SNAG_OP_PROMISE_GET, *posted_at(s, iteration) - 1);
}

unsigned mp_doacross_dims(void)
{
	const struct mp_loop_shared *s = mp_implicit(mp.now->task)->loop.shared;
	return s ? s->ndims : 0;
}

void mp_doacross_end(void)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	if (t->loop.shared)
		shared_leave(t, t->loop.shared);
	t->loop.shared = NULL;
}
