/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c - accesses of the programs of programs.c to a part of their area
 */
#include "world.h"

#include <string.h>

typedef short short_any __attribute__((aligned(1), may_alias));
typedef int int_any __attribute__((aligned(1), may_alias));
typedef long long_any __attribute__((aligned(1), may_alias));
typedef short short_even __attribute__((may_alias));
typedef int int_even __attribute__((may_alias));
typedef struct {
	long low, high;
} __attribute__((may_alias)) pair_even;

/* One access; `how` is 0 for a read. */
#define SINGLE(LINKAGE, type)                                                       \
	LINKAGE __attribute__((noinline)) long single_##type(type *p, unsigned how) \
	{                                                                           \
		if (how == 0)                                                       \
			return (long)*p;                                            \
		if (how == 1)                                                       \
			*p = 1;                                                     \
		else                                                                \
			(*p)++;                                                     \
		return 0;                                                           \
	}

SINGLE(, char)
SINGLE(static, short_even)
SINGLE(static, int_even)
SINGLE(, long_even)
SINGLE(static, short_any)
SINGLE(static, int_any)
SINGLE(static, long_any)

static __attribute__((noinline)) long single_pair(pair_even *p, unsigned how)
{
	if (how == 0) {
		const pair_even copy = *p;
		return copy.low + copy.high;
	}
	*p = (pair_even){how, 2};
	return 0;
}

static void access_single(struct thread *t, struct part p)
{
	struct dice *d = &t->dice;
	const unsigned how = p.is_constant ? 0 : roll(d, 3), log = roll(d, 5);
	const unsigned size = 1u << log;
	unsigned at = roll(d, p.nbytes - size + 1);
	char *any = p.at + at, *even = (char *)(((uintptr_t)any + size - 1) & -(uintptr_t)size);
	if (even + size > p.at + p.nbytes)
		even = (char *)((uintptr_t)(p.at + p.nbytes - size) & -(uintptr_t)size);
	if (even < p.at) { /* a narrow part */
		t->sum += single_char(any, how);
		return;
	}
	const bool is_even = log == 4 || roll(d, 5);
	if (log == 0)
		t->sum += single_char(any, how);
	else if (log == 1 && is_even)
		t->sum += single_short_even((short_even *)even, how);
	else if (log == 1)
		t->sum += single_short_any((short_any *)any, how);
	else if (log == 2 && is_even)
		t->sum += single_int_even((int_even *)even, how);
	else if (log == 2)
		t->sum += single_int_any((int_any *)any, how);
	else if (log == 3 && is_even)
		t->sum += single_long_even((long_even *)even, how);
	else if (log == 3)
		t->sum += single_long_any((long_any *)any, how);
	else
		t->sum += single_pair((pair_even *)even, how);
}

/* A loop over a[from], ..., a[to - 1]; the first three kinds only read. */
#define LOOP(type)                                                                                \
	static __attribute__((noinline)) long loop_##type(type *a, long from, long to, long step, \
							  unsigned how)                           \
	{                                                                                         \
		long sum = 0;                                                                     \
		switch (how) {                                                                    \
		case 0:                                                                           \
			for (long i = from; i < to; i++)                                          \
				sum += a[i];                                                      \
			break;                                                                    \
		case 1:                                                                           \
			for (long i = to - 1; i >= from; i -= step)                               \
				sum += a[i] * a[from];                                            \
			break;                                                                    \
		case 2:                                                                           \
			for (long i = from; i < to && a[i] != 77; i += step)                      \
				sum++;                                                            \
			break;                                                                    \
		case 3:                                                                           \
			for (long i = from; i < to; i++)                                          \
				a[i] = 2;                                                         \
			break;                                                                    \
		case 4:                                                                           \
			for (long i = from; i < to; i += step)                                    \
				a[i]++;                                                           \
			break;                                                                    \
		case 5:                                                                           \
			for (long i = from; i + 1 < to; i++)                                      \
				a[i] = a[i + 1];                                                  \
			break;                                                                    \
		case 6:                                                                           \
			for (long i = to - 1; i >= from; i--)                                     \
				a[i] = 3;                                                         \
			break;                                                                    \
		case 7:                                                                           \
			for (long k = 0; k < 2; k++)                                              \
				for (long i = from; i < to; i += step)                            \
					a[i] = (type)(a[i] ^ k);                                  \
			break;                                                                    \
		default:                                                                          \
			for (long i = from, k = to - 1; i < k; i++, k--) {                        \
				type x = a[i];                                                    \
				a[i] = a[k];                                                      \
				a[k] = x;                                                         \
			}                                                                         \
		}                                                                                 \
		return sum;                                                                       \
	}

LOOP(char)
LOOP(short_even)
LOOP(int_even)
LOOP(long_even)

static void access_loop(struct thread *t, struct part p)
{
	struct dice *d = &t->dice;
	const unsigned how = p.is_constant ? roll(d, 3) : roll(d, 9), log = roll(d, 4);
	char *even = (char *)(((uintptr_t)p.at + 7) & -(uintptr_t)8);
	const long n = (p.at + p.nbytes - even) >> log, step = 1 + (long)roll(d, 3);
	if (n < 2)
		return;
	const long most = n < 256 ? n : 256, from = (long)roll(d, (unsigned)(n - most + most / 2));
	const long to = from + 1 + (long)roll(d, (unsigned)(n - from < most ? n - from : most));
	if (log == 0)
		t->sum += loop_char(even, from, to, step, how);
	else if (log == 1)
		t->sum += loop_short_even((short_even *)even, from, to, step, how);
	else if (log == 2)
		t->sum += loop_int_even((int_even *)even, from, to, step, how);
	else
		t->sum += loop_long_even((long_even *)even, from, to, step, how);
}

void access_range(struct thread *t, struct part p)
{
	struct dice *d = &t->dice;
	const unsigned at = roll(d, p.nbytes);
	const unsigned n = roll(d, 3) ? 1 + roll(d, p.nbytes - at) : p.nbytes - at;
	const unsigned how = p.is_constant ? roll(d, 2) : roll(d, 5), half = n / 2;
	char copy[64];
	switch (how) {
	case 0:
		memcpy(copy, p.at + at, n < sizeof(copy) ? n : sizeof(copy));
		t->sum += copy[0];
		break;
	case 1:
		t->sum += memcmp(p.at + at, p.at + at + half, half);
		break;
	case 2:
		memset(p.at + at, (int)n, n);
		break;
	case 3:
		memcpy(p.at + at, p.at + at + n - half, half);
		break;
	default:
		memmove(p.at + at, p.at + at + (n > 1), n - (n > 1));
	}
}

void access_part(struct thread *t, struct part p)
{
	switch (roll(&t->dice, 5)) {
	case 0:
		access_loop(t, p);
		break;
	case 1:
		access_range(t, p);
		break;
	default:
		access_single(t, p);
	}
}
