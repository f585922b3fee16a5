/* SPDX-License-Identifier: Apache-2.0
 *
 * api_places.c - the functions of <omp.h> for places, the environment, tools and interoperability
 *
 * Threads are bound to no place, and there are none; nor is there a tool, or a foreign runtime.
 */
#include "omp/abi.h"

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

MP_ABI(void, omp_display_env, int is_verbose)
{
}

MP_ABI(int, omp_control_tool, int command, int modifier, void *arg)
{
	enum { NO_TOOL = -2 };
	return NO_TOOL;
}

/* Interoperability objects have no properties. */
enum { EMPTY = -1 };

MP_ABI(int, omp_get_num_interop_properties, void *object)
{
	return 0;
}

MP_ABI(intptr_t, omp_get_interop_int, void *object, int property, int *ret_code)
{
	if (ret_code)
		*ret_code = EMPTY;
	return 0;
}

MP_ABI(void *, omp_get_interop_ptr, void *object, int property, int *ret_code)
{
	omp_get_interop_int(object, property, ret_code);
	return NULL;
}

MP_ABI(const char *, omp_get_interop_str, void *object, int property, int *ret_code)
{
	return omp_get_interop_ptr(object, property, ret_code);
}

MP_ABI(const char *, omp_get_interop_name, void *object, int property)
{
	return NULL;
}

MP_ABI(const char *, omp_get_interop_type_desc, void *object, int property)
{
	return NULL;
}

MP_ABI(const char *, omp_get_interop_rc_desc, void *object, int code)
{
	return code == EMPTY ? "the object is empty" : NULL;
}
