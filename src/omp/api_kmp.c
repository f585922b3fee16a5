/* SPDX-License-Identifier: Apache-2.0
 *
 * api_kmp.c - the functions that clang's <omp.h> has beyond OpenMP
 *
 * Memory is the C library's.  What tunes a runtime (waiting, stacks, buffers) is remembered at
 * most; threads are bound to no processor, so masks are only kept.
 */
#include "omp/abi.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

MP_ABI(void *, kmp_malloc, size_t nbytes)
{
	MP_PLACE();
	return malloc(nbytes);
}

MP_ABI(void *, kmp_aligned_malloc, size_t nbytes, size_t align)
{
	MP_PLACE();
	void *p;
	align = align < sizeof(void *) ? sizeof(void *) : align;
	return posix_memalign(&p, align, nbytes) == 0 ? p : NULL;
}

MP_ABI(void *, kmp_calloc, size_t n, size_t each)
{
	MP_PLACE();
	return calloc(n, each);
}

MP_ABI(void *, kmp_realloc, void *p, size_t nbytes)
{
	MP_PLACE();
	return realloc(p, nbytes);
}

MP_ABI(void, kmp_free, void *p)
{
	MP_PLACE();
	free(p);
}

enum { SERIAL = 1, TURNAROUND, THROUGHPUT };
static size_t stack_bytes = MP_STACK_BYTES;
static int block_ms = 200, library = THROUGHPUT;

MP_ABI(int, kmp_get_stacksize, void)
{
	return (int)stack_bytes;
}

MP_ABI(void, kmp_set_stacksize, int nbytes)
{
	stack_bytes = nbytes > 0 ? (size_t)nbytes : stack_bytes;
}

MP_ABI(size_t, kmp_get_stacksize_s, void)
{
	return stack_bytes;
}

MP_ABI(void, kmp_set_stacksize_s, size_t nbytes)
{
	stack_bytes = nbytes;
}

MP_ABI(int, kmp_get_blocktime, void)
{
	return block_ms;
}

MP_ABI(void, kmp_set_blocktime, int ms)
{
	block_ms = ms < 0 ? 0 : ms;
}

MP_ABI(int, kmp_get_library, void)
{
	return library;
}

MP_ABI(void, kmp_set_library, int kind)
{
	library = kind;
}

MP_ABI(void, kmp_set_library_serial, void)
{
	library = SERIAL;
}

MP_ABI(void, kmp_set_library_turnaround, void)
{
	library = TURNAROUND;
}

MP_ABI(void, kmp_set_library_throughput, void)
{
	library = THROUGHPUT;
}

MP_ABI(void, kmp_set_defaults, const char *assignments)
{
}

MP_ABI(void, kmp_set_disp_num_buffers, int n)
{
}

MP_ABI(void, kmp_set_warnings_on, void)
{
}

MP_ABI(void, kmp_set_warnings_off, void)
{
}

/* Masks of processors.  These functions return 0, or a negative number. */
MP_ABI(int, kmp_get_affinity_max_proc, void)
{
	return CPU_SETSIZE;
}

MP_ABI(void, kmp_create_affinity_mask, cpu_set_t **ret_mask)
{
	MP_PLACE();
	*ret_mask = calloc(1, sizeof(**ret_mask));
}

MP_ABI(void, kmp_destroy_affinity_mask, cpu_set_t **mask)
{
	MP_PLACE();
	free(*mask);
	*mask = NULL;
}

MP_ABI(int, kmp_set_affinity, cpu_set_t **mask)
{
	return *mask ? 0 : -1;
}

MP_ABI(int, kmp_get_affinity, cpu_set_t **mask)
{
	return *mask ? sched_getaffinity(0, sizeof(**mask), *mask) : -1;
}

static bool is_processor(int number, cpu_set_t *const *mask)
{
	return number >= 0 && number < CPU_SETSIZE && *mask;
}

MP_ABI(int, kmp_set_affinity_mask_proc, int number, cpu_set_t **mask)
{
	if (!is_processor(number, mask))
		return -1;
	CPU_SET(number, *mask);
	return 0;
}

MP_ABI(int, kmp_unset_affinity_mask_proc, int number, cpu_set_t **mask)
{
	if (!is_processor(number, mask))
		return -1;
	CPU_CLR(number, *mask);
	return 0;
}

MP_ABI(int, kmp_get_affinity_mask_proc, int number, cpu_set_t **mask)
{
	return is_processor(number, mask) ? CPU_ISSET(number, *mask) : -1;
}
