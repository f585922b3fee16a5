/* SPDX-License-Identifier: Apache-2.0
 *
 * api_memory.c - the functions of <omp.h> for memory: of allocators, and of devices
 *
 * All memory is the same: every allocator is malloc, and the host is the only device.  (memmove is the
 * C library's, which the detector sees; memcpy is our own here.)
 */
#include "omp/abi.h"

#include <stdlib.h>
#include <string.h>

/* ---- allocators ---- */

typedef uintptr_t omp_allocator;

static _Thread_local omp_allocator usual = 1; /* omp_default_mem_alloc */

MP_ABI(omp_allocator, omp_init_allocator, omp_allocator space, int n, const void *traits)
{
	return 1;
}

MP_ABI(void, omp_destroy_allocator, omp_allocator allocator)
{
}

MP_ABI(void, omp_set_default_allocator, omp_allocator allocator)
{
	usual = allocator;
}

MP_ABI(omp_allocator, omp_get_default_allocator, void)
{
	return usual;
}

MP_ABI(void *, omp_alloc, size_t nbytes, omp_allocator allocator)
{
	return malloc(nbytes);
}

MP_ABI(void *, omp_aligned_alloc, size_t align, size_t nbytes, omp_allocator allocator)
{
	void *p;
	align = align < sizeof(void *) ? sizeof(void *) : align;
	return posix_memalign(&p, align, nbytes) == 0 ? p : NULL;
}

MP_ABI(void *, omp_calloc, size_t n, size_t each, omp_allocator allocator)
{
	return calloc(n, each);
}

MP_ABI(void *, omp_aligned_calloc, size_t align, size_t n, size_t each, omp_allocator allocator)
{
	if (each && n > SIZE_MAX / each)
		return NULL;
	void *p = omp_aligned_alloc(align, n * each, allocator);
	return p ? memset(p, 0, n * each) : NULL;
}

MP_ABI(void *, omp_realloc, void *p, size_t nbytes, omp_allocator to, omp_allocator from)
{
	return realloc(p, nbytes);
}

MP_ABI(void, omp_free, void *p, omp_allocator allocator)
{
	free(p);
}

MP_ABI(void *, GOMP_alloc, size_t align, size_t nbytes, omp_allocator allocator)
{
	return omp_aligned_alloc(align, nbytes, allocator);
}

MP_ABI(void, GOMP_free, void *p, omp_allocator allocator)
{
	free(p);
}

MP_ABI(void *, __kmpc_alloc, int32_t gtid, size_t nbytes, omp_allocator allocator)
{
	return malloc(nbytes);
}

MP_ABI(void *, __kmpc_aligned_alloc, int32_t gtid, size_t align, size_t nbytes,
       omp_allocator allocator)
{
	return omp_aligned_alloc(align, nbytes, allocator);
}

MP_ABI(void *, __kmpc_calloc, int32_t gtid, size_t n, size_t each, omp_allocator allocator)
{
	return calloc(n, each);
}

MP_ABI(void *, __kmpc_realloc, int32_t gtid, void *p, size_t nbytes, omp_allocator to,
       omp_allocator from)
{
	return realloc(p, nbytes);
}

MP_ABI(void, __kmpc_free, int32_t gtid, void *p, omp_allocator allocator)
{
	free(p);
}

/* ---- devices ---- */

MP_ABI(void *, omp_target_alloc, size_t nbytes, int device)
{
	return malloc(nbytes);
}

MP_ABI(void, omp_target_free, void *p, int device)
{
	free(p);
}

MP_ABI(int, omp_target_is_present, const void *p, int device)
{
	return 1;
}

MP_ABI(int, omp_target_memcpy, void *to, const void *from, size_t nbytes, size_t to_at,
       size_t from_at, int to_device, int from_device)
{
	memmove((char *)to + to_at, (const char *)from + from_at, nbytes);
	return 0;
}

MP_ABI(int, omp_target_memcpy_rect, void *to, const void *from, size_t each, int ndims,
       const size_t *volume, const size_t *to_at, const size_t *from_at, const size_t *to_dims,
       const size_t *from_dims, int to_device, int from_device)
{
	size_t to_row = each, from_row = each;
	if (!to && !from)
		return 1 << 16; /* how many dimensions there may be */
	if (ndims < 1)
		return 1;
	for (int i = 1; i < ndims; i++) {
		to_row *= to_dims[i];
		from_row *= from_dims[i];
	}
	char *t = (char *)to + to_at[0] * to_row;
	const char *f = (const char *)from + from_at[0] * from_row;
	if (ndims == 1) {
		memmove(t, f, volume[0] * each);
		return 0;
	}
	for (size_t i = 0; i < volume[0]; i++)
		omp_target_memcpy_rect(t + i * to_row, f + i * from_row, each, ndims - 1,
				       volume + 1, to_at + 1, from_at + 1, to_dims + 1,
				       from_dims + 1, to_device, from_device);
	return 0;
}

MP_ABI(int, omp_target_associate_ptr, const void *host, const void *p, size_t nbytes, size_t at,
       int device)
{
	return 1; /* the host has no memory of its own to associate */
}

MP_ABI(int, omp_target_disassociate_ptr, const void *p, int device)
{
	return 1;
}

MP_ABI(int, omp_pause_resource, int kind, int device)
{
	return 0;
}

MP_ABI(int, omp_pause_resource_all, int kind)
{
	return 0;
}
