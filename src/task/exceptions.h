/* SPDX-License-Identifier: Apache-2.0
 *
 * exceptions.h - the C++ exceptions being handled belong to a task
 *
 * The C++ runtime keeps, for each thread, the exceptions that are being handled.  A task that
 * waits inside a handler takes them with it.  Programs without C++ have none.
 *
 * Reference.  Itanium C++ ABI: Exception Handling, section 2.2.2.
 */
#ifndef SNAG_TASK_EXCEPTIONS_H
#define SNAG_TASK_EXCEPTIONS_H

struct snag_exceptions { /* the ABI's __cxa_eh_globals */
	void *caught;
	unsigned int uncaught;
};

__attribute__((weak)) struct snag_exceptions *__cxa_get_globals(void);

static inline struct snag_exceptions snag_exceptions_save(void)
{
	return __cxa_get_globals ? *__cxa_get_globals() : (struct snag_exceptions){0};
}

static inline void snag_exceptions_restore(const struct snag_exceptions *exceptions)
{
	if (__cxa_get_globals)
		*__cxa_get_globals() = *exceptions;
}

#endif
