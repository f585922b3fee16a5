/* SPDX-License-Identifier: Apache-2.0
 *
 * api_fortran.c - the functions of Fortran's module omp_lib and of omp_lib.h
 *
 * gfortran calls a procedure `omp_x` by the name `omp_x_` and passes addresses of arguments.
 * With default integers of 8 bytes (-fdefault-integer-8) some names end in `_8_` instead.
 * gcc's own calls of omp_get_thread_num() have no underscore, so the two need no renaming
 * (cc/openmp/openmp_code.h).
 *
 * Rules.  [same]       Where the arguments are the same as in C, the name is a jump to the C
 *                      function: the caller's address stays what the function sees.
 *         [reference]  Otherwise the arguments are loaded first.
 *         [text]       A character argument has no final 0; its length follows all other
 *                      arguments.  Results are padded with blanks.
 */
#include "omp/abi.h"

#include <string.h>

/* [same] */
#define SAME(name) SAME_AS(omp_##name, omp_##name)
#define SAME_AS(name, target)                                                    \
	__asm__(".pushsection .text\n"                                           \
		".globl " #name "_\n"                                            \
		".type " #name "_, @function\n" #name "_: jmp " #target "@PLT\n" \
		".size " #name "_, . - " #name "_\n"                             \
		".popsection")

SAME(init_lock);
SAME(destroy_lock);
SAME(set_lock);
SAME(unset_lock);
SAME(test_lock);
SAME(init_nest_lock);
SAME(destroy_nest_lock);
SAME(set_nest_lock);
SAME(unset_nest_lock);
SAME(test_nest_lock);
SAME_AS(omp_get_thread_num, __snag_omp_get_thread_num);
SAME_AS(omp_get_num_threads, __snag_omp_get_num_threads);
SAME_AS(omp_get_team_num, __snag_omp_get_team_num);
SAME_AS(omp_get_num_teams, __snag_omp_get_num_teams);
SAME(get_max_threads);
SAME(get_num_procs);
SAME(in_parallel);
SAME(get_level);
SAME(get_active_level);
SAME(get_thread_limit);
SAME(get_max_active_levels);
SAME(get_supported_active_levels);
SAME(get_nested);
SAME(get_dynamic);
SAME(get_cancellation);
SAME(in_final);
SAME(get_max_task_priority);
SAME(get_proc_bind);
SAME(get_schedule);
SAME(get_num_devices);
SAME(get_initial_device);
SAME(get_device_num);
SAME(is_initial_device);
SAME(get_default_device);
SAME(get_max_teams);
SAME(get_teams_thread_limit);
SAME(fulfill_event); /* by value */
SAME(get_wtime);
SAME(get_wtick);
SAME(get_num_places);
SAME(get_place_num);
SAME(get_partition_num_places);
SAME(get_partition_place_nums);
SAME(destroy_allocator); /* by value */
SAME(set_default_allocator);
SAME(get_default_allocator);

/* The variables of the module of rewritten sources (cc/fortran/fortran_openmp.h); they have no
 * bytes. */
MP_EXPORT char snag_nothing __asm__("__snag_omp_MOD_snag_nothing"), snag_nothing_shared
	__asm__("__snag_omp_MOD_snag_nothing_shared");
char snag_nothing, snag_nothing_shared;

/* [reference] */
#define SET(name)                                           \
	void omp_##name(int value);                         \
	MP_ABI(void, omp_##name##_, const int32_t *value)   \
	{                                                   \
		omp_##name(*value);                         \
	}                                                   \
	MP_ABI(void, omp_##name##_8_, const int64_t *value) \
	{                                                   \
		omp_##name((int)*value);                    \
	}

#define GET(name)                                              \
	int omp_##name(int value);                             \
	MP_ABI(int32_t, omp_##name##_, const int32_t *value)   \
	{                                                      \
		return omp_##name(*value);                     \
	}                                                      \
	MP_ABI(int32_t, omp_##name##_8_, const int64_t *value) \
	{                                                      \
		return omp_##name((int)*value);                \
	}

SET(set_num_threads)
SET(set_dynamic)
SET(set_nested)
SET(set_max_active_levels)
SET(set_default_device)
SET(set_num_teams)
SET(set_teams_thread_limit)
SET(display_env)
GET(get_ancestor_thread_num)
GET(get_team_size)
GET(get_place_num_procs)

void omp_init_lock_with_hint(void *lock, int hint);
MP_ABI(void, omp_init_lock_with_hint_, void *lock, const int32_t *hint)
{
	omp_init_lock_with_hint(lock, *hint);
}

void omp_init_nest_lock_with_hint(void *lock, int hint);
MP_ABI(void, omp_init_nest_lock_with_hint_, void *lock, const int32_t *hint)
{
	omp_init_nest_lock_with_hint(lock, *hint);
}

void omp_set_schedule(int kind, int chunk);
MP_ABI(void, omp_set_schedule_, const int32_t *kind, const int32_t *chunk)
{
	omp_set_schedule(*kind, *chunk);
}

MP_ABI(void, omp_set_schedule_8_, const int32_t *kind, const int64_t *chunk)
{
	omp_set_schedule(*kind, (int)*chunk);
}

void omp_get_schedule(int *ret_kind, int *ret_chunk);
MP_ABI(void, omp_get_schedule_8_, int32_t *ret_kind, int64_t *ret_chunk)
{
	int chunk;
	omp_get_schedule(ret_kind, &chunk);
	*ret_chunk = chunk;
}

void omp_get_place_proc_ids(int place, int *ret_ids);
MP_ABI(void, omp_get_place_proc_ids_, const int32_t *place, int32_t *ret_ids)
{
	omp_get_place_proc_ids(*place, ret_ids);
}

/* There are no places, so no numbers either (api_places.c). */
MP_ABI(void, omp_get_place_proc_ids_8_, const int64_t *place, int64_t *ret_ids)
{
}

MP_ABI(void, omp_get_partition_place_nums_8_, int64_t *ret_nums)
{
}

int omp_pause_resource(int kind, int device);
MP_ABI(int32_t, omp_pause_resource_, const int32_t *kind, const int32_t *device)
{
	return omp_pause_resource(*kind, *device);
}

int omp_pause_resource_all(int kind);
MP_ABI(int32_t, omp_pause_resource_all_, const int32_t *kind)
{
	return omp_pause_resource_all(*kind);
}

uintptr_t omp_init_allocator(uintptr_t space, int n, const void *traits);
MP_ABI(uintptr_t, omp_init_allocator_, uintptr_t space, const int32_t *n, const void *traits)
{
	return omp_init_allocator(space, *n, traits);
}

MP_ABI(uintptr_t, omp_init_allocator_8_, uintptr_t space, const int64_t *n, const void *traits)
{
	return omp_init_allocator(space, (int)*n, traits);
}

/* [text] */
enum { MOST_TEXT = 256 };

/* Copies a text without the blanks at its end; cuts a longer one. */
static const char *text_of(char to[MOST_TEXT], const char *text, size_t n)
{
	while (n > 0 && text[n - 1] == ' ')
		n--;
	n = n < MOST_TEXT ? n : MOST_TEXT - 1;
	memcpy(to, text, n);
	to[n] = '\0';
	return to;
}

static void text_pad(char *to, size_t room, const char *from, size_t n)
{
	n = n < room ? n : room;
	memcpy(to, from, n);
	memset(to + n, ' ', room - n);
}

void omp_set_affinity_format(const char *format);
MP_ABI(void, omp_set_affinity_format_, const char *format, size_t n)
{
	char buffer[MOST_TEXT];
	omp_set_affinity_format(text_of(buffer, format, n));
}

size_t omp_get_affinity_format(char *ret_format, size_t room);
MP_ABI(int32_t, omp_get_affinity_format_, char *ret_format, size_t room)
{
	char buffer[MOST_TEXT] = "";
	size_t n = omp_get_affinity_format(buffer, sizeof(buffer));
	text_pad(ret_format, room, buffer, strlen(buffer));
	return (int32_t)n;
}

void omp_display_affinity(const char *format);
MP_ABI(void, omp_display_affinity_, const char *format, size_t n)
{
	char buffer[MOST_TEXT];
	omp_display_affinity(text_of(buffer, format, n));
}

size_t omp_capture_affinity(char *ret_text, size_t room, const char *format);
MP_ABI(int32_t, omp_capture_affinity_, char *ret_text, const char *format, size_t room, size_t n)
{
	char buffer[MOST_TEXT], text[MOST_TEXT] = "";
	size_t length = omp_capture_affinity(text, sizeof(text), text_of(buffer, format, n));
	text_pad(ret_text, room, text, strlen(text));
	return (int32_t)length;
}
