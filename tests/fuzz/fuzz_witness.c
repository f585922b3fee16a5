/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_witness.c - any bytes as a witness file, read and checked as `snag check` does
 *
 * The trace has locks, a fork, a join, an atomic and branches.  A file is refused with one line
 * that names it, or its witness is not valid for a reason, or it is valid: then it ends with two
 * accesses of different threads to one variable, one of them a write, and has no event twice.
 */
#include "fuzz.h"
#include "trace/format.h"
#include "trace/input.h"
#include "witness/witness.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char text[] = "T0|w(x)|1\nT0|fork(T1)|2\nT0|acq(l)|3\nT0|w(y)|4\nT0|rel(l)|5\n"
			   "T1|acq(l)|6\nT1|r(x)|7\nT1|w(y)|8\nT1|rel(l)|9\nT1|br|10\n"
			   "T1|w(x)|11\nT0|ar4(a)|12\nT0|r(x)|13\nT1|aw4(a)|14\nT0|join(T1)|15\n"
			   "T0|w(y)|16\n";

static void trace_read(struct snag_trace *trace)
{
	const struct snag_source_options rules = {.lenient = true};
	struct snag_error err = {0};
	struct snag_source *src;
	struct snag_input *in = snag_input_from_memory("trace", text, sizeof(text) - 1);
	fuzz_require(snag_std_source(in, &rules, &src, &err) == 0);
	src = snag_wellformed_source(src, &rules);
	snag_trace_init(trace);
	fuzz_require(snag_trace_load(trace, src, &err) == 0 && trace->n >= 12);
	snag_source_close(src);
}

static bool is_race(const struct snag_trace *trace, const struct snag_witness *w)
{
	const struct snag_event *a, *b;
	if (w->n < 2 || w->event[w->n - 1] >= trace->n || w->event[w->n - 2] >= trace->n)
		return false;
	a = &trace->ev[w->event[w->n - 2]];
	b = &trace->ev[w->event[w->n - 1]];
	return a->thread != b->thread && a->target == b->target && snag_op_is_access(a->op) &&
	       snag_op_is_access(b->op) && (snag_op_writes(a->op) || snag_op_writes(b->op));
}

static bool has_twice(const struct snag_witness *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < i; k++)
			if (w->event[i] == w->event[k])
				return true;
	return false;
}

static void check(const struct snag_trace *trace, const struct snag_witness *w)
{
	for (int rules = SNAG_RULES_AUTO; rules < SNAG_RULES; rules++) {
		struct snag_error err = {0};
		if (snag_witness_check(trace, w, (enum snag_rules)rules, &err) < 0)
			fuzz_require(err.msg[0]);
		else
			fuzz_require(!has_twice(w) && (w->request || is_race(trace, w)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct snag_trace trace;
	char path[40];
	struct snag_witness witness = {0};
	struct snag_error err = {0};
	if (!trace.n)
		trace_read(&trace);
	int fd = memfd_create("witness", MFD_CLOEXEC);
	fuzz_require(fd >= 0 && write(fd, n ? (const void *)bytes : "", n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (snag_witness_read(path, &trace, &witness, &err) == 0)
		check(&trace, &witness);
	else
		fuzz_require(strncmp(err.msg, path, strlen(path)) == 0);
	snag_witness_done(&witness);
	close(fd);
	return 0;
}
