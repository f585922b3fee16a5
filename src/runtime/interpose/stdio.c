/* SPDX-License-Identifier: Apache-2.0
 *
 * stdio.c - printf and scanf: what they read and write of the program's memory
 *
 * The rules are those of libc.c: a call is one event, and counts only if its caller was compiled
 * with snag.  format.h finds the memory that the arguments point to.
 */
#include "runtime/access/access.h"
#include "runtime/channel/record.h"
#include "runtime/interpose/format.h"
#include "runtime/interpose/real.h"
#include "runtime/modules.h"
#include "runtime/sched/sched.h"

/* Begins the event of a call.  Returns whether its accesses are recorded. */
static bool is_seen(uintptr_t pc)
{
	rt_begin_once();
	return rt_modules_counts(pc) && rt_access_count();
}

/* Before a call that prints: reads the strings.  A program with the option that ends it at its
 * first report ends before it prints more. */
static bool print_begin(const char *format, va_list arguments, uintptr_t pc)
{
	if (!is_seen(pc))
		return false;
	rt_format_printed(format, arguments, pc);
	if (rt_enter())
		rt_record_drain();
	return true;
}

#define W(at, nbytes) rt_access_more((uintptr_t)(at), nbytes, true, pc);
#define PRINTED (result < 0 || n == 0 ? 0 : (size_t)result < n ? (size_t)result + 1 : n)

/* PRINTS(name, (parameters), (arguments), what it writes in addition), and the function with
 * "..." */
#define PRINTS(name, parameters, arguments, writes)                    \
	RT_EXPORT int v##name(RT_LIST parameters, va_list list)        \
	{                                                              \
		RT_SCOPE;                                              \
		const uintptr_t pc = RT_CALLER;                        \
		va_list again;                                         \
		va_copy(again, list);                                  \
		bool is_reported = print_begin(format, again, pc);     \
		va_end(again);                                         \
		int result = rt_real.v##name(RT_LIST arguments, list); \
		if (is_reported && rt_enter()) {                       \
			writes                                         \
		}                                                      \
		return result;                                         \
	}                                                              \
	RT_EXPORT int name(RT_LIST parameters, ...)                    \
	{                                                              \
		RT_SCOPE;                                              \
		const uintptr_t pc = RT_CALLER;                        \
		va_list list, again;                                   \
		va_start(list, format);                                \
		va_copy(again, list);                                  \
		bool is_reported = print_begin(format, again, pc);     \
		va_end(again);                                         \
		int result = rt_real.v##name(RT_LIST arguments, list); \
		va_end(list);                                          \
		if (is_reported && rt_enter()) {                       \
			writes                                         \
		}                                                      \
		return result;                                         \
	}
#define RT_LIST(...) __VA_ARGS__

PRINTS(printf, (const char *format), (format), )
PRINTS(fprintf, (FILE * to, const char *format), (to, format), )
PRINTS(dprintf, (int to, const char *format), (to, format), )
PRINTS(sprintf, (char *to, const char *format), (to, format),
       W(to, result >= 0 ? (size_t)result + 1 : 0))
PRINTS(snprintf, (char *to, size_t n, const char *format), (to, n, format), W(to, PRINTED))
PRINTS(asprintf, (char **to, const char *format), (to, format), if (result >= 0) W(to, sizeof(*to)))

/* Since C99, headers rename scanf to __isoc99_scanf. */
#define SCANS(name, parameters, arguments, reads)                               \
	RT_ABI(int, __isoc99_v##name, RT_LIST parameters, va_list list)         \
	{                                                                       \
		RT_SCOPE;                                                       \
		const uintptr_t pc = RT_CALLER;                                 \
		va_list again;                                                  \
		va_copy(again, list);                                           \
		bool is_reported = is_seen(pc);                                 \
		int result = rt_real.__isoc99_v##name(RT_LIST arguments, list); \
		if (is_reported && rt_enter()) {                                \
			reads rt_format_scanned(format, again, result, pc);     \
		}                                                               \
		va_end(again);                                                  \
		return result;                                                  \
	}                                                                       \
	RT_ABI(int, __isoc99_##name, RT_LIST parameters, ...)                   \
	{                                                                       \
		RT_SCOPE;                                                       \
		const uintptr_t pc = RT_CALLER;                                 \
		va_list list, again;                                            \
		va_start(list, format);                                         \
		va_copy(again, list);                                           \
		bool is_reported = is_seen(pc);                                 \
		int result = rt_real.__isoc99_v##name(RT_LIST arguments, list); \
		va_end(list);                                                   \
		if (is_reported && rt_enter()) {                                \
			reads rt_format_scanned(format, again, result, pc);     \
		}                                                               \
		va_end(again);                                                  \
		return result;                                                  \
	}

SCANS(scanf, (const char *format), (format), )
SCANS(fscanf, (FILE * from, const char *format), (from, format), )
SCANS(sscanf, (const char *from, const char *format), (from, format),
      rt_access_more((uintptr_t)from, rt_real.strlen(from) + 1, false, pc);)
