/* SPDX-License-Identifier: Apache-2.0
 *
 * new.c - operator new: where a C++ program allocates a block
 *
 * Idea.   operator new of libstdc++ and libc++ calls malloc, so the caller of malloc is that
 *         library.  The runtime stands in front of operator new and notes its caller.  So a report
 *         names the line with `new`.  operator delete jumps to free, whose caller is the program.
 * Rules.  [outer]   operator new[] calls operator new: the outer caller counts
 *         [own]     if the program defines operator new itself, this one is not linked
 *         [static]  if no library behind the program has the function, libstdc++ is linked
 *                   statically, and the definition here has replaced it: malloc allocates.
 *                   `snag cc -static-libstdc++` links what a failure calls
 *         [plain]   then, as in libstdc++, all forms get their memory from the plain one, which the
 *                   program may define itself: its operator delete frees blocks of all forms.
 *                   Unlike libstdc++'s, the nothrow forms let its exceptions through
 */
#include "runtime/interpose/real.h"
#include "runtime/rt.h"

#include <stdlib.h>

static uintptr_t news_begin(uintptr_t pc)
{
	uintptr_t outer = rt_hot.news_at;
	rt_hot.news_at = outer ? outer : pc; /* [outer] */
	return outer;
}

static void news_end(const uintptr_t *outer)
{
	rt_hot.news_at = *outer;
}

/* std::__throw_bad_alloc() and std::get_new_handler() */
typedef void new_handler(void);
extern void _ZSt17__throw_bad_allocv(void) __attribute__((weak));
extern new_handler *_ZSt15get_new_handlerv(void) __attribute__((weak));

/* [static] `align` 0: that of malloc. */
static void *allocate(size_t n, size_t align, bool may_fail)
{
	n += n == 0;
	const size_t whole = align ? (n + align - 1) / align * align : n;
	for (;;) {
		void *p = whole < n ? NULL : align ? aligned_alloc(align, whole) : malloc(n);
		new_handler *handler =
			p || !_ZSt15get_new_handlerv ? NULL : _ZSt15get_new_handlerv();
		if (p || (!handler && may_fail))
			return p;
		if (handler)
			handler();
		else if (_ZSt17__throw_bad_allocv)
			_ZSt17__throw_bad_allocv();
		else
			abort();
	}
}

static void *get(size_t n, size_t align, bool may_fail);

/* Also if an exception leaves the real one, news_end() is called. */
#define NEW(name, parameters, arguments, align, may_fail)                                   \
	static void *own##name parameters                                                   \
	{                                                                                   \
		uintptr_t outer __attribute__((cleanup(news_end))) = news_begin(RT_CALLER); \
		return rt_real.name ? rt_real.name arguments : get(n, align, may_fail);     \
	}                                                                                   \
	RT_EXPORT __attribute__((weak, alias("own" #name))) void *name parameters;

/* (n), (n, nothrow), (n, align), (n, align, nothrow); `new` and `new[]` of each */
NEW(_Znwm, (size_t n), (n), 0, false)
NEW(_Znam, (size_t n), (n), 0, false)
NEW(_ZnwmRKSt9nothrow_t, (size_t n, const void *tag), (n, tag), 0, true)
NEW(_ZnamRKSt9nothrow_t, (size_t n, const void *tag), (n, tag), 0, true)
NEW(_ZnwmSt11align_val_t, (size_t n, size_t align), (n, align), align, false)
NEW(_ZnamSt11align_val_t, (size_t n, size_t align), (n, align), align, false)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t n, size_t align, const void *tag), (n, align, tag),
    align, true)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t n, size_t align, const void *tag), (n, align, tag),
    align, true)

/* [plain] */
static void *get(size_t n, size_t align, bool may_fail)
{
	if (align && _ZnwmSt11align_val_t != own_ZnwmSt11align_val_t)
		return _ZnwmSt11align_val_t(n, align);
	if (!align && _Znwm != own_Znwm)
		return _Znwm(n);
	return allocate(n, align, may_fail);
}
