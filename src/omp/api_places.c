/* SPDX-License-Identifier: Apache-2.0
 *
 * api_places.c - the functions of <omp.h> for places, affinity and the environment
 *
 * Threads are bound to no place, and there are none; nothing is displayed.  clang's <omp.h> has some of
 * these under names that begin with ompc_.
 */
#include "omp/abi.h"

#include <stdio.h>
#include <string.h>

MP_ABI(int, omp_get_num_places, void)
{
	return 0;
}

MP_ABI(int, omp_get_place_num_procs, int place)
{
	return 0;
}

MP_ABI(void, omp_get_place_proc_ids, int place, int *ret_ids)
{
}

MP_ABI(int, omp_get_place_num, void)
{
	return -1;
}

MP_ABI(int, omp_get_partition_num_places, void)
{
	return 0;
}

MP_ABI(void, omp_get_partition_place_nums, int *ret_nums)
{
}

static char format[128];

MP_ABI(void, omp_set_affinity_format, const char *to)
{
	snprintf(format, sizeof(format), "%s", to);
}

/* Both return how many characters there are to return, and fill what there is room for. */
MP_ABI(size_t, omp_get_affinity_format, char *ret_format, size_t room)
{
	if (room)
		snprintf(ret_format, room, "%s", format);
	return strlen(format);
}

MP_ABI(size_t, omp_capture_affinity, char *ret_text, size_t room, const char *how)
{
	if (room)
		*ret_text = '\0';
	return 0;
}

MP_ABI(void, omp_display_affinity, const char *how)
{
}

MP_EXPORT void ompc_set_affinity_format(const char *)
	__attribute__((alias("omp_set_affinity_format")));
MP_EXPORT size_t ompc_get_affinity_format(char *, size_t)
	__attribute__((alias("omp_get_affinity_format")));
MP_EXPORT size_t ompc_capture_affinity(char *, size_t, const char *)
	__attribute__((alias("omp_capture_affinity")));
MP_EXPORT void ompc_display_affinity(const char *) __attribute__((alias("omp_display_affinity")));

MP_ABI(void, omp_display_env, int is_verbose)
{
}

MP_ABI(int, omp_control_tool, int command, int modifier, void *arg)
{
	enum { NO_TOOL = -2 };
	return NO_TOOL;
}
