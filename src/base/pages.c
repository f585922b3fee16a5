/* SPDX-License-Identifier: Apache-2.0
 *
 * pages.c - memory straight from the system, for code that runs inside other programs
 *
 * Arrays grow by doubling.  The system moves them by copying page tables, not bytes.  The
 * capacity of an array is what its pages hold, so the size of the mapping follows from it.
 */
#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

size_t snag_pages_round(size_t nbytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return (nbytes + page - 1) & ~(page - 1);
}

void *snag_pages_map(size_t nbytes)
{
	int saved = errno;
	void *p = mmap(NULL, snag_pages_round(nbytes), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

void snag_pages_unmap(void *p, size_t nbytes)
{
	int saved = errno;
	if (p)
		munmap(p, snag_pages_round(nbytes));
	errno = saved;
}

void *snag_pages_grow(void *p, size_t *cap, size_t need, size_t elem)
{
	if (need <= *cap)
		return p;
	size_t n = *cap > need / 2 ? *cap * 2 : need, nbytes;
	if (__builtin_mul_overflow(n, elem, &nbytes) || nbytes > SIZE_MAX / 2)
		return NULL;
	nbytes = snag_pages_round(nbytes);

	int saved = errno;
	void *to = p ? mremap(p, snag_pages_round(*cap * elem), nbytes, MREMAP_MAYMOVE)
		     : mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	errno = saved;
	if (to == MAP_FAILED)
		return NULL;
	*cap = nbytes / elem;
	return to;
}

void snag_pages_free(void *p, size_t cap, size_t elem)
{
	snag_pages_unmap(p, cap * elem);
}
