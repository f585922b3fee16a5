/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.h - a source of random well-formed traces, of any length, without storage
 *
 * The trace is that of a program whose threads run one critical section after
 * another.  Variable v belongs to lock v mod locks; an access under that lock is
 * protected, and with unprotected = 0 the trace has no race at all.  The same
 * options always give the same trace.  Names are those of RAPID's traces: threads
 * T0, T1, ..., variables V0, ..., locks L0, ..., locations integers; ids count in
 * order of first appearance, as if the trace had been read from a file.
 */
#ifndef SNAG_BENCH_GENERATE_H
#define SNAG_BENCH_GENERATE_H

#include "trace/source.h"

struct snag_generate_options {
	uint64_t events; /* exactly as many */
	uint32_t threads;
	uint32_t variables;
	uint32_t locks;	    /* 0: no sections; then every access must be unprotected */
	uint32_t hot_locks; /* the first so many locks get half of the acquires; 0: none do */
	uint32_t nesting;   /* a section holds 1 .. nesting locks */
	uint32_t section;   /* mean number of steps (accesses and branches) in a section */
	uint32_t locations; /* about as many code sites */
	double turn;	    /* mean number of events before the scheduler draws again, >= 1 */
	double skew;	    /* of variables, and of locks: the exponent of Zipf's law, 0: uniform */
	double unprotected; /* share of accesses without the variable's lock */
	double reads;	    /* share of reads among accesses */
	double branches;    /* share of branches among steps */
	double life;	    /* mean sections of a thread, before T0 joins it and forks another
			     * one; 0: as long as the trace */
	bool fork_join;	    /* T0 forks the others first and joins them last; else all are roots */
	uint64_t seed;
};

extern const struct snag_generate_options snag_generate_defaults;

/* Options that make no sense together are an error. */
int snag_generate_source(const struct snag_generate_options *options, struct snag_source **ret_src,
			 struct snag_error *err);

#endif
