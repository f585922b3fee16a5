/* SPDX-License-Identifier: Apache-2.0
 *
 * real.c - the functions of the C library behind those that the runtime defines
 */
#include "runtime/real.h"

#include <dlfcn.h>

struct rt_real rt_real;

/* Some symbols exist in two versions, and dlsym finds the oldest by default. */
static void *look_up(const char *name)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.3.2", "GLIBC_2.3.3"};
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		void *at = dlvsym(RTLD_NEXT, name, versions[i]);
		if (at)
			return at;
	}
	return dlsym(RTLD_NEXT, name);
}

void rt_real_begin(void)
{
#define REAL(type, name, parameters) *(void **)&rt_real.name = look_up(#name);
#include "runtime/real.def"
#undef REAL
}
