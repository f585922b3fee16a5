/* SPDX-License-Identifier: Apache-2.0
 *
 * api_devices.c - the functions of <omp.h> for the memory of devices
 *
 * The host is the only one.  (memmove is the C library's, which the detector sees; memcpy is
 * our own here.)
 */
#include "omp/abi.h"

#include <stdlib.h>
#include <string.h>

MP_ABI(void *, omp_target_alloc, size_t nbytes, int device)
{
	MP_PLACE();
	return malloc(nbytes);
}

MP_ABI(void, omp_target_free, void *p, int device)
{
	MP_PLACE();
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
		return 1 << 16; /* the most dimensions */
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
