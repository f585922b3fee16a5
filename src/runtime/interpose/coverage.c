/* SPDX-License-Identifier: Apache-2.0
 *
 * coverage.c - symbols of ThreadSanitizer's runtime that say nothing about threads
 *
 * Programs built with -fsanitize-coverage, and those that call functions of dynamic_annotations.h,
 * need them to link.  Branches (trace_pc, trace_pc_guard) are in access/branch.c.
 *
 * Rules.  [weak]  a program, such as one with a fuzzer, may define any of them itself
 */
#include "runtime/rt.h"

/* [weak] */
#undef RT_ABI
#define RT_ABI(type, name, ...)                                 \
	RT_EXPORT __attribute__((weak)) type name(__VA_ARGS__); \
	type name(__VA_ARGS__)

#define NOTHING(name, ...)              \
	RT_ABI(void, name, __VA_ARGS__) \
	{                               \
	}

NOTHING(__sanitizer_cov_8bit_counters_init, char *start, char *stop)
NOTHING(__sanitizer_cov_bool_flag_init, bool *start, bool *stop)
NOTHING(__sanitizer_cov_pcs_init, const uintptr_t *start, const uintptr_t *stop)
NOTHING(__sanitizer_cov_dump, void)
NOTHING(__sanitizer_cov_reset, void)
NOTHING(__sanitizer_dump_coverage, const uintptr_t *pcs, uintptr_t n)
NOTHING(__sanitizer_dump_trace_pc_guard_coverage, void)
NOTHING(__sanitizer_cov_trace_pc_indir, uintptr_t callee)
NOTHING(__sanitizer_cov_trace_cmp, uint64_t a, uint64_t b)
NOTHING(__sanitizer_cov_trace_cmp1, uint8_t a, uint8_t b)
NOTHING(__sanitizer_cov_trace_cmp2, uint16_t a, uint16_t b)
NOTHING(__sanitizer_cov_trace_cmp4, uint32_t a, uint32_t b)
NOTHING(__sanitizer_cov_trace_cmp8, uint64_t a, uint64_t b)
NOTHING(__sanitizer_cov_trace_const_cmp1, uint8_t a, uint8_t b)
NOTHING(__sanitizer_cov_trace_const_cmp2, uint16_t a, uint16_t b)
NOTHING(__sanitizer_cov_trace_const_cmp4, uint32_t a, uint32_t b)
NOTHING(__sanitizer_cov_trace_const_cmp8, uint64_t a, uint64_t b)
NOTHING(__sanitizer_cov_trace_switch, uint64_t value, uint64_t *cases)
NOTHING(__sanitizer_cov_trace_div4, uint32_t value)
NOTHING(__sanitizer_cov_trace_div8, uint64_t value)
NOTHING(__sanitizer_cov_trace_gep, uintptr_t index)

/* dynamic_annotations.h: queues of messages, and whether this is Valgrind. */
NOTHING(AnnotatePCQCreate, const char *file, int line, uintptr_t queue)
NOTHING(AnnotatePCQDestroy, const char *file, int line, uintptr_t queue)
NOTHING(AnnotatePCQPut, const char *file, int line, uintptr_t queue)
NOTHING(AnnotatePCQGet, const char *file, int line, uintptr_t queue)

RT_ABI(int, RunningOnValgrind, void)
{
	return 0;
}

/* What ThreadSanitizer says. */
RT_ABI(double, ValgrindSlowdown, void)
{
	return 10.0;
}
