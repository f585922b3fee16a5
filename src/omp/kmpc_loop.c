/* SPDX-License-Identifier: Apache-2.0
 *
 * kmpc_loop.c - what clang calls for loops and sections
 *
 * snag cc makes nearly all loops ask for each chunk (dispatch_init, dispatch_next).  In files that
 * were compiled in another way, a loop or sections construct gets one block of iterations for each
 * thread (for_static_init), which is a segment.  If a block has several iterations, and they are
 * not told apart, the library reports an obstacle.
 */
#include "omp/abi.h"

enum {
	KMP_STATIC_CHUNKED = 33,
	KMP_ORDERED_LOWER = 64,
	KMP_ORDERED_UPPER = 72,
	KMP_DISTRIBUTE_CHUNKED = 91,
	KMP_DISTRIBUTE = 92,
	KMP_GUIDED = 36,
	KMP_DYNAMIC = 35,
	KMP_MODIFIERS = 3 << 29,
	KMP_IDENT_SECTIONS = 0x400,
};

struct kmp_ident { /* the place of a construct, in clang's layout */
	int32_t reserved, flags;
};

static struct mp_schedule schedule_of(int32_t kind, int64_t chunk)
{
	int32_t plain = kind & ~KMP_MODIFIERS;
	bool is_ordered = plain >= KMP_ORDERED_LOWER && plain < KMP_ORDERED_UPPER;
	int32_t base = is_ordered ? plain - (KMP_ORDERED_LOWER - 32) : plain;
	/* Only static and dynamic chunks have the size that the program gives. */
	bool is_sized = base == KMP_STATIC_CHUNKED || base == KMP_DYNAMIC;
	struct mp_schedule s = mp_schedule_decode(is_sized && chunk > 0 ? (uint64_t)chunk : 0);
	s.is_ordered = is_ordered;
	return s;
}

/* The number of iterations from lower to upper by stride. */
#define COUNT(unsigned_type, lower, upper, stride)                                               \
	((stride) > 0 ? ((lower) > (upper) ? 0                                                   \
					   : (uint64_t)(unsigned_type)((unsigned_type)(upper) -  \
								       (unsigned_type)(lower)) / \
							     (uint64_t)(stride) +                \
						     1)                                          \
		      : ((lower) < (upper) ? 0                                                   \
					   : (uint64_t)(unsigned_type)((unsigned_type)(lower) -  \
								       (unsigned_type)(upper)) / \
							     (uint64_t)(-(stride)) +             \
						     1))

#define DISPATCH(suffix, type, unsigned_type, signed_type)                                      \
	MP_ABI(void, __kmpc_dispatch_init_##suffix, void *loc, int32_t gtid, int32_t schedule,  \
	       type lower, type upper, signed_type stride, signed_type chunk)                   \
	{                                                                                       \
		struct mp_task *t = mp_implicit(MP_ENTER());                                    \
		t->lower = (int64_t)lower;                                                      \
		t->stride = (int64_t)stride;                                                    \
		mp_loop_begin(COUNT(unsigned_type, lower, upper, stride),                       \
			      schedule_of(schedule, (int64_t)chunk));                           \
	}                                                                                       \
	MP_ABI(int, __kmpc_dispatch_next_##suffix, void *loc, int32_t gtid, int32_t *ret_last,  \
	       type *ret_lower, type *ret_upper, signed_type *ret_stride)                       \
	{                                                                                       \
		struct mp_task *t = mp_implicit(MP_ENTER());                                    \
		uint64_t from, n;                                                               \
		if (!mp_loop_next(&from, &n))                                                   \
			return 0;                                                               \
		*ret_lower = (type)((uint64_t)t->lower + from * (uint64_t)t->stride);           \
		*ret_upper = (type)((uint64_t)t->lower + (from + n - 1) * (uint64_t)t->stride); \
		*ret_stride = (signed_type)t->stride;                                           \
		if (ret_last)                                                                   \
			*ret_last = mp_loop_is_last();                                          \
		return 1;                                                                       \
	}                                                                                       \
	MP_ABI(void, __kmpc_dispatch_fini_##suffix, void *loc, int32_t gtid)                    \
	{                                                                                       \
	}

DISPATCH(4, int32_t, uint32_t, int32_t)
DISPATCH(4u, uint32_t, uint32_t, int32_t)
DISPATCH(8, int64_t, uint64_t, int64_t)
DISPATCH(8u, uint64_t, uint64_t, int64_t)

/* The block of a thread: `count` iterations in `n` blocks, the first ones larger by one. */
static void block_of(uint64_t count, int n, int i, uint64_t *ret_from, uint64_t *ret_n)
{
	uint64_t each = count / (uint64_t)n, more = count % (uint64_t)n, k = (uint64_t)i;
	*ret_from = k * each + (k < more ? k : more);
	*ret_n = each + (k < more);
}

static void block_begin(struct mp_task *t, bool is_sections, uint64_t from, bool is_together)
{
	if (t->team->n == 1)
		return;
	mp_deal_part(t, false);
	mp_segment_begin(t);
	if (t->id == t->base_id)
		return;
	mp_label(t->id, is_sections ? SNAG_OMP_SECTION : SNAG_OMP_ITERATION, from);
	t->is_together = is_together;
}

/* Returns whether the thread has any; the code of a chunked loop itself steps from chunk to
 * chunk. */
static bool static_part(const struct kmp_ident *loc, int32_t schedule, uint64_t count,
			int64_t chunk, int32_t *ret_last, uint64_t *ret_from, uint64_t *ret_n,
			uint64_t *ret_stride)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	bool is_sections = loc && loc->flags & KMP_IDENT_SECTIONS;
	int n, i;
	int32_t plain = schedule & ~KMP_MODIFIERS;
	bool is_distributed = plain == KMP_DISTRIBUTE || plain == KMP_DISTRIBUTE_CHUNKED;
	i = is_distributed ? mp_league_at(&n) : mp_loop_block(&n);
	t->is_together = false;
	if (ret_last)
		*ret_last = 0;
	if (i < 0)
		return false;
	if ((plain == KMP_STATIC_CHUNKED || plain == KMP_DISTRIBUTE_CHUNKED) && chunk > 0) {
		*ret_from = (uint64_t)i * (uint64_t)chunk;
		*ret_n = (uint64_t)chunk;
		*ret_stride = (uint64_t)n * (uint64_t)chunk;
		uint64_t last = count ? (count - 1) / (uint64_t)chunk % (uint64_t)n : 0;
		if (ret_last)
			*ret_last = count && last == (uint64_t)i;
		if (*ret_from < count && !is_distributed)
			block_begin(t, is_sections, *ret_from, *ret_stride < count - *ret_from);
		return *ret_from < count;
	}
	block_of(count, n, i, ret_from, ret_n);
	*ret_stride = count;
	if (ret_last)
		*ret_last = *ret_n && *ret_from + *ret_n == count;
	if (*ret_n && !is_distributed)
		block_begin(t, is_sections, *ret_from, *ret_n > 1);
	return *ret_n > 0;
}

#define STATIC(suffix, type, unsigned_type, signed_type)                                         \
	MP_ABI(void, __kmpc_for_static_init_##suffix, void *loc, int32_t gtid, int32_t schedule, \
	       int32_t *ret_last, type *lower, type *upper, signed_type *stride, signed_type by, \
	       signed_type chunk)                                                                \
	{                                                                                        \
		uint64_t from, n, next, step = (uint64_t)(int64_t)by;                            \
		MP_ENTER();                                                                      \
		uint64_t count = COUNT(unsigned_type, *lower, *upper, by);                       \
		type first = *lower;                                                             \
		if (!static_part(loc, schedule, count, chunk, ret_last, &from, &n, &next)) {     \
			*lower = (type)((uint64_t)*upper + step);                                \
			return;                                                                  \
		}                                                                                \
		*lower = (type)((uint64_t)first + from * step);                                  \
		*upper = (type)((uint64_t)first + (from + n - 1) * step);                        \
		*stride = (signed_type)(next * step);                                            \
	}

STATIC(4, int32_t, uint32_t, int32_t)
STATIC(4u, uint32_t, uint32_t, int32_t)
STATIC(8, int64_t, uint64_t, int64_t)
STATIC(8u, uint64_t, uint64_t, int64_t)

MP_ABI(void, __kmpc_for_static_fini, void *loc, int32_t gtid)
{
	struct mp_task *t = mp_implicit(MP_ENTER());
	if (t->team->nteams) /* a team of a league continues after its part of a loop */
		return;
	if (mp_segment_end(t) && t->is_together)
		mp_obstacle(SNAG_OMP_OBSTACLE_ITERATIONS_TOGETHER);
	t->is_together = false;
}

/* A distributed parallel loop: the bounds are those of the team already. */
#define DIST(suffix, type, unsigned_type, signed_type)                                         \
	MP_ABI(void, __kmpc_dist_for_static_init_##suffix, void *loc, int32_t gtid,            \
	       int32_t schedule, int32_t *ret_last, type *lower, type *upper, type *ret_upper, \
	       signed_type *stride, signed_type by, signed_type chunk)                         \
	{                                                                                      \
		*ret_upper = *upper;                                                           \
		__kmpc_for_static_init_##suffix(loc, gtid, schedule, ret_last, lower, upper,   \
						stride, by, chunk);                            \
	}

DIST(4, int32_t, uint32_t, int32_t)
DIST(4u, uint32_t, uint32_t, int32_t)
DIST(8, int64_t, uint64_t, int64_t)
DIST(8u, uint64_t, uint64_t, int64_t)

MP_ABI(void, __kmpc_ordered, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_ordered_begin();
}

MP_ABI(void, __kmpc_end_ordered, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_ordered_end();
}

struct kmp_dim {
	int64_t lower, upper, stride;
};

MP_ABI(void, __kmpc_doacross_init, void *loc, int32_t gtid, int32_t ndims,
       const struct kmp_dim *dims)
{
	enum { MOST = 16 };
	int64_t lower[MOST], upper[MOST], stride[MOST];
	MP_ENTER();
	if (ndims < 0 || ndims > MOST)
		mp_fail("OpenMP: ordered(n) of more than 16 loops");
	for (int i = 0; i < ndims; i++) {
		lower[i] = dims[i].lower;
		upper[i] = dims[i].upper;
		stride[i] = dims[i].stride;
	}
	mp_doacross_begin((unsigned)ndims, lower, upper, stride);
}

MP_ABI(void, __kmpc_doacross_post, void *loc, int32_t gtid, const int64_t *at)
{
	MP_ENTER();
	mp_doacross_post(at);
}

MP_ABI(void, __kmpc_doacross_wait, void *loc, int32_t gtid, const int64_t *at)
{
	MP_ENTER();
	mp_doacross_wait(at);
}

MP_ABI(void, __kmpc_doacross_fini, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_doacross_end();
}
