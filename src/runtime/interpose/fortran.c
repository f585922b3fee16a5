/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran.c - functions of libgfortran that read and write the program's memory
 *
 * Idea.   gfortran compiles `print *, x` to calls that get the address of x; only the library
 *         reads x.  The same holds for sections of arrays that are packed for a call, and for
 *         matmul.
 * Rules.  [once], [caller] as in libc.c
 *         [array]   Elements that lie side by side are one access.
 *         [inside]  `write (text, *)` writes the variable `text`, `read (text, *)` reads it.
 *         The definitions are weak: a program that is linked with libgfortran.a has its own.
 */
#include "runtime/interpose/fortran.h"

#include "runtime/access/access.h"
#include "runtime/interpose/real.h"
#include "runtime/modules.h"
#include "runtime/sched/sched.h"

enum { HAS_INTERNAL_UNIT = 1 << 14 };

/* [array] Returns how many of the first dimensions are one stretch, and how long it is.  0 bytes:
 * there are no elements. */
static int stretch_of(const struct rt_fortran_array *a, size_t *ret_bytes)
{
	int n = 0;
	size_t bytes = a->each;
	for (int i = 0; i < a->rank; i++) {
		const ptrdiff_t count = a->dimension[i].upper - a->dimension[i].lower + 1;
		if (count <= 0) {
			*ret_bytes = 0;
			return a->rank;
		}
		if (n == i && a->dimension[i].stride * a->span == (ptrdiff_t)bytes) {
			bytes *= (size_t)count;
			n++;
		}
	}
	*ret_bytes = bytes;
	return n;
}

static void array_access(const struct rt_fortran_array *a, bool is_write, uintptr_t pc)
{
	ptrdiff_t at[RT_MOST_DIMENSIONS] = {0};
	size_t nbytes;
	if (!a->base || a->rank < 0 || a->rank > RT_MOST_DIMENSIONS)
		return;
	const int first = stretch_of(a, &nbytes);
	for (int i = 0; nbytes > 0;) {
		uintptr_t where = (uintptr_t)a->base;
		for (i = first; i < a->rank; i++)
			where += (uintptr_t)(at[i] * a->dimension[i].stride * a->span);
		rt_access_more(where, nbytes, is_write, pc);
		for (i = first; i < a->rank; i++) {
			if (++at[i] <= a->dimension[i].upper - a->dimension[i].lower)
				break;
			at[i] = 0;
		}
		if (i == a->rank)
			return;
	}
}

/* [inside] */
static void unit_access(const struct rt_fortran_io *io, bool is_write, uintptr_t pc)
{
	if (!(io->flags & HAS_INTERNAL_UNIT))
		return;
	if (io->internal_array)
		array_access(io->internal_array, is_write, pc);
	else
		rt_access_more((uintptr_t)io->internal, io->internal_bytes, is_write, pc);
}

#define R(at, nbytes) rt_access_more((uintptr_t)(at), nbytes, false, pc)
#define W(at, nbytes) rt_access_more((uintptr_t)(at), nbytes, true, pc)
#define RA(a) array_access(a, false, pc)
#define WA(a) array_access(a, true, pc)
#define UNIT(io, is_write) unit_access(io, is_write, pc)
#define REAL_BYTES(kind) ((size_t)((kind) == 10 ? 16 : (kind)))

#define BEFORE(accesses)                                           \
	RT_SCOPE;                                                  \
	const uintptr_t pc = RT_CALLER;                            \
	rt_begin_once();                                           \
	bool is_seen = rt_modules_counts(pc) && rt_access_count(); \
	if (is_seen && rt_enter()) {                               \
		accesses;                                          \
	}
#define AFTER(accesses)              \
	if (is_seen && rt_enter()) { \
		accesses;            \
	}

#define FORTRAN(name, real, parameters, arguments, before, after)        \
	void _gfortran_##name parameters;                                \
	RT_EXPORT __attribute__((weak)) void _gfortran_##name parameters \
	{                                                                \
		BEFORE(before)                                           \
		rt_real._gfortran_##real arguments;                      \
		AFTER(after)                                             \
	}
#define FORTRAN_POINTER(name, parameters, arguments, before)              \
	void *_gfortran_##name parameters;                                \
	RT_EXPORT __attribute__((weak)) void *_gfortran_##name parameters \
	{                                                                 \
		BEFORE(before)                                            \
		return rt_real._gfortran_##name arguments;                \
	}
#include "runtime/interpose/fortran.def"
