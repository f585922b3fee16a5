/* SPDX-License-Identifier: Apache-2.0
 *
 * api_allocators.c - the functions of <omp.h> for allocators, and the allocate clauses
 *
 * All memory is the C library's.  Of the traits of an allocator those count that a program can
 * tell: alignment, pool_size and fallback.
 *
 * State.  An allocator is one of the predefined numbers, which have no traits, or PREDEFINED
 *         plus its place among those that were made: clang 14 takes only 32 bits of it for an
 *         allocate clause.  drawn: what was taken from pools, by its address
 */
#include "omp/abi.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t omp_allocator;

enum { NULL_ALLOCATOR = 0, DEFAULT_MEM_ALLOC = 1, PREDEFINED = 1 << 10 };
enum trait_key { ALIGNMENT = 2, POOL_SIZE = 4, FALLBACK = 5, FB_DATA = 6 };
enum { DEFAULT_MEM_FB = 11, NULL_FB = 12, ABORT_FB = 13, ALLOCATOR_FB = 14 };
#define TRAIT_DEFAULT UINTPTR_MAX

struct trait { /* omp_alloctrait_t */
	enum trait_key key;
	uintptr_t value;
};

struct allocator {
	size_t align, pool, used;
	uintptr_t fallback, fb_data;
};

struct draw {
	struct allocator *from; /* NULL: the program gave it back */
	size_t nbytes;
};

static struct allocator **made;
static size_t nmade, made_cap;
static struct mp_map drawn;
static _Thread_local omp_allocator usual = DEFAULT_MEM_ALLOC;

static struct allocator *allocator_of(omp_allocator handle)
{
	handle = handle == NULL_ALLOCATOR ? usual : handle;
	return handle - PREDEFINED < nmade ? made[handle - PREDEFINED] : NULL;
}

static omp_allocator allocator_new(struct allocator a)
{
	if (nmade == made_cap) {
		made_cap = made_cap ? 2 * made_cap : 8;
		struct allocator **old = made;
		made = mp_alloc(made_cap * sizeof(struct allocator *));
		mp_memcpy(made, old, nmade * sizeof(struct allocator *));
		mp_free(old);
	}
	made[nmade] = mp_alloc(sizeof(a));
	*made[nmade] = a;
	return PREDEFINED + nmade++;
}

MP_ABI(omp_allocator, omp_init_allocator, omp_allocator space, int n, const struct trait *traits)
{
	struct allocator a = {.pool = SIZE_MAX, .fallback = DEFAULT_MEM_FB};
	for (int i = 0; i < n; i++) {
		uintptr_t value = traits[i].value;
		if (value == TRAIT_DEFAULT)
			continue;
		if (traits[i].key == ALIGNMENT && (value == 0 || (value & (value - 1))))
			return NULL_ALLOCATOR;
		switch (traits[i].key) {
		case ALIGNMENT:
			a.align = value;
			break;
		case POOL_SIZE:
			a.pool = value;
			break;
		case FALLBACK:
			a.fallback = value;
			break;
		case FB_DATA:
			a.fb_data = value;
			break;
		}
	}
	return allocator_new(a);
}

MP_ABI(void, omp_destroy_allocator, omp_allocator allocator)
{
	if (allocator - PREDEFINED >= nmade)
		return;
	mp_free(made[allocator - PREDEFINED]);
	made[allocator - PREDEFINED] = NULL;
}

MP_ABI(void, omp_set_default_allocator, omp_allocator allocator)
{
	usual = allocator == NULL_ALLOCATOR ? DEFAULT_MEM_ALLOC : allocator;
}

MP_ABI(omp_allocator, omp_get_default_allocator, void)
{
	return usual;
}

static bool pool_has(const struct allocator *a, size_t nbytes)
{
	return nbytes <= a->pool && a->used <= a->pool - nbytes;
}

static void pool_draw(struct allocator *a, const void *p, size_t nbytes)
{
	if (a->pool == SIZE_MAX)
		return;
	struct draw **d = (struct draw **)mp_map_at(&drawn, p);
	*d = *d ? *d : mp_alloc(sizeof(**d));
	**d = (struct draw){a, nbytes};
	a->used += nbytes;
}

static void pool_give(const void *p)
{
	struct draw **d = drawn.table.n ? (struct draw **)mp_map_at(&drawn, p) : NULL;
	if (!d || !*d || !(*d)->from)
		return;
	(*d)->from->used -= (*d)->nbytes;
	(*d)->from = NULL;
}

static void *aligned(size_t align, size_t nbytes)
{
	void *p;
	if (align <= _Alignof(max_align_t))
		return malloc(nbytes);
	return posix_memalign(&p, align, nbytes) == 0 ? p : NULL;
}

static void *take(size_t align, size_t nbytes, omp_allocator allocator)
{
	struct allocator *a = allocator_of(allocator);
	if (!a)
		return aligned(align, nbytes);
	align = align < a->align ? a->align : align;
	void *p = pool_has(a, nbytes) ? aligned(align, nbytes) : NULL;
	if (p) {
		pool_draw(a, p, nbytes);
		return p;
	}
	switch (a->fallback) {
	case NULL_FB:
		return NULL;
	case ABORT_FB:
		abort();
	case ALLOCATOR_FB:
		return take(align, nbytes, a->fb_data);
	default:
		return aligned(align, nbytes);
	}
}

static void *take_zeroed(size_t align, size_t n, size_t each, omp_allocator allocator)
{
	size_t nbytes;
	if (__builtin_mul_overflow(n, each, &nbytes))
		return NULL;
	if (!allocator_of(allocator) && align <= _Alignof(max_align_t))
		return calloc(n, each);
	void *p = take(align, nbytes, allocator);
	return p ? memset(p, 0, nbytes) : NULL;
}

static void give(void *p)
{
	pool_give(p);
	free(p);
}

static void *take_again(void *p, size_t nbytes, omp_allocator to, omp_allocator from)
{
	if (!allocator_of(to) && !allocator_of(from))
		return realloc(p, nbytes);
	size_t had = p ? malloc_usable_size(p) : 0;
	void *q = nbytes ? take(1, nbytes, to) : NULL;
	if (nbytes && !q)
		return NULL;
	if (q && had)
		memmove(q, p, had < nbytes ? had : nbytes);
	give(p);
	return q;
}

MP_ABI(void *, omp_alloc, size_t nbytes, omp_allocator allocator)
{
	MP_PLACE();
	return take(1, nbytes, allocator);
}

MP_ABI(void *, omp_aligned_alloc, size_t align, size_t nbytes, omp_allocator allocator)
{
	MP_PLACE();
	return take(align, nbytes, allocator);
}

MP_ABI(void *, omp_calloc, size_t n, size_t each, omp_allocator allocator)
{
	MP_PLACE();
	return take_zeroed(1, n, each, allocator);
}

MP_ABI(void *, omp_aligned_calloc, size_t align, size_t n, size_t each, omp_allocator allocator)
{
	MP_PLACE();
	return take_zeroed(align, n, each, allocator);
}

MP_ABI(void *, omp_realloc, void *p, size_t nbytes, omp_allocator to, omp_allocator from)
{
	MP_PLACE();
	return take_again(p, nbytes, to, from);
}

MP_ABI(void, omp_free, void *p, omp_allocator allocator)
{
	MP_PLACE();
	give(p);
}

/* Compilers call the functions below for allocate clauses. */
static void *copy_take(size_t align, size_t nbytes, omp_allocator allocator)
{
	void *p = take(align, nbytes, allocator);
	if (mp_is_here())
		mp_copy_add(p, nbytes);
	return p;
}

static void copy_give(void *p)
{
	if (mp_is_here())
		mp_copy_gone(p);
	give(p);
}

MP_ABI(void *, GOMP_alloc, size_t align, size_t nbytes, omp_allocator allocator)
{
	MP_PLACE();
	return copy_take(align, nbytes, allocator);
}

MP_ABI(void, GOMP_free, void *p, omp_allocator allocator)
{
	MP_PLACE();
	copy_give(p);
}

MP_ABI(void *, __kmpc_alloc, int32_t gtid, size_t nbytes, omp_allocator allocator)
{
	MP_PLACE();
	return copy_take(1, nbytes, allocator);
}

MP_ABI(void *, __kmpc_aligned_alloc, int32_t gtid, size_t align, size_t nbytes,
       omp_allocator allocator)
{
	MP_PLACE();
	return copy_take(align, nbytes, allocator);
}

MP_ABI(void, __kmpc_free, int32_t gtid, void *p, omp_allocator allocator)
{
	MP_PLACE();
	copy_give(p);
}

MP_ABI(void *, __kmpc_calloc, int32_t gtid, size_t n, size_t each, omp_allocator allocator)
{
	MP_PLACE();
	return take_zeroed(1, n, each, allocator);
}

MP_ABI(void *, __kmpc_realloc, int32_t gtid, void *p, size_t nbytes, omp_allocator to,
       omp_allocator from)
{
	MP_PLACE();
	return take_again(p, nbytes, to, from);
}
