/* SPDX-License-Identifier: Apache-2.0
 *
 * cases.c - traces with known answers
 *
 * The figures are those of Genç, Roemer, Xu and Bond, OOPSLA 2019; sync(o) is
 * `acq o; r z; br; w z; rel o`.  The rest are counterexamples to published
 * relations and algorithms, found by random testing.
 */
#include "cases.h"

#include "base/memory.h"

#include <assert.h>

#define NONE ""

static const struct known_case known[] = {
	{
		.name = "sections that can change places",
		.trace = "T0 w x; T0 acq a; T0 rel a; T1 acq a; T1 rel a; T1 w x",
		.races = {[REL_HB] = NONE,
			  [REL_SHB] = NONE,
			  [REL_WCP] = "0-5",
			  [REL_DC] = "0-5",
			  [REL_SDP] = "0-5",
			  [REL_SDPX] = "0-5",
			  [REL_WDP] = "0-5"},
		.reads = "0-5",
		.dependence = "0-5",
		.literal = "0-5",
	},
	{
		.name = "the second race owes to the first",
		.trace = "T0 w x; T0 w y; T1 r y; T1 w x",
		.races = {[REL_HB] = "1-2 0-3", [REL_SHB] = "1-2"},
		.reads = "1-2",
		.dependence = "1-2 0-3",
		.literal = "1-2",
	},
	{
		.name = "a release whose past has the race in it",
		.trace = "T1 acq l; T1 w z; T0 w x; T0 w y; T1 r y; T1 rel l; T2 r z; T2 acq l; T2 "
			 "w x; T2 rel l",
		.reads = "3-4 1-6",
		.dependence = "3-4 1-6 2-8",
		.literal = "3-4 1-6 2-8",
	},
	{
		.name = "a read that a later event makes causal",
		.trace = "T1 acq l; T1 w x; T1 rel l; T0 acq l; T0 r x; T0 fork T2; T0 rel l; T2 w "
			 "x; "
			 "T2 w x",
		.reads = NONE,
		.dependence = "1-7 1-8",
		.literal = "1-7 1-8",
	},
	{
		.name = "a fork that follows a causal read of what must wait",
		.trace = "T1 acq l; T1 w x; T1 w v; T1 rel l; T0 r x; T0 fork T2; T0 w y; T2 w z; "
			 "T3 "
			 "acq l; T3 rel l; T3 r y; T3 r z; T3 w v",
		.reads = "1-4 6-10 7-11 2-12",
		.dependence = "1-4 6-10 7-11 2-12",
		.literal = "1-4 6-10 7-11 2-12",
	},
	{
		.name = "a thread in the place of another that holds a lock for ever",
		.trace = "T0 acq l; T0 w x; T0 rel l; T1 acq l; T2 join T1; T2 fork T3; T3 w x",
		.races = {[REL_HB] = NONE, [REL_WDP] = "1-6"},
	},
	{
		.name = "a thread in the place of another does not hold what that held",
		.trace = "T1 w y; T1 acq l; T1 w x; T1 rel l; T0 fork T2; T2 acq l; T0 join T2; "
			 "T0 fork T3; T3 acq m; T3 r x; T3 br; T3 r y",
		.races = {[REL_WDP] = "2-9 0-11"},
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "a thread in the place of another whose read no branch followed",
		.trace = "T0 w y; T0 acq l; T0 w x; T0 rel l; T1 acq l; T1 r x; T1 rel l; T2 join "
			 "T1; "
			 "T2 fork T3; T3 br; T3 w y",
		.races = {[REL_HB] = NONE, [REL_DC] = NONE, [REL_WDP] = "0-10"},
	},
	{
		.name = "joined again after another has taken its place",
		.trace = "T0 fork T1; T1 w x; T0 join T1; T0 fork T2; T2 w y; T3 join T1; T3 w x; "
			 "T3 w y",
		.races = {[REL_HB] = "4-7",
			  [REL_SHB] = "4-7",
			  [REL_WCP] = "4-7",
			  [REL_DC] = "4-7",
			  [REL_SDP] = "4-7",
			  [REL_SDPX] = "4-7",
			  [REL_WDP] = "4-7"},
	},
	{
		.name = "a branch that may depend on the read before it",
		.trace =
			"T0 w y; T0 acq l; T0 w x; T0 rel l; T1 dep z; T1 acq l; T1 r x; T1 rel l; "
			"T1 dep x; T1 br; T1 r y",
		.races = {[REL_WDP] = NONE},
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "a branch that does not depend on the read before it",
		.trace =
			"T0 w y; T0 acq l; T0 w x; T0 rel l; T1 dep z; T1 acq l; T1 r x; T1 rel l; "
			"T1 br; T1 r y; T1 r y",
		.races = {[REL_WDP] = "0-9 0-10", [REL_DC] = NONE},
		.dependence = "0-9 0-10",
		.literal = "0-9 0-10",
	},
	{
		.name = "a named read of a write that waits for a delayed section",
		.trace = "T0 dep y; T1 acq l; T1 r x; T2 w x; T1 w y; T1 rel l; T0 acq l; T0 r x; "
			 "T0 rel l; T0 dep x; T0 br; T0 r y",
		.dependence = "2-3 3-7 4-11",
		.literal = "2-3 3-7",
	},
	{
		.name = "a fork after a read that nothing depends on",
		.trace = "T0 w x; T0 w z; T1 r z; T1 fork T2; T2 acq l; T2 w y; T2 rel l; "
			 "T3 r y; T3 acq l; T3 w x",
		.reads = "1-2 5-7",
		.dependence = "1-2 5-7 0-9",
		.literal = "1-2 5-7 0-9",
	},
	{
		.name = "deadlock",
		.trace = "T0 acq a; T0 acq b; T0 rel b; T0 rel a; T1 acq b; T1 acq a; T1 rel a; T1 "
			 "rel b",
		.races = {[REL_HB] = NONE, [REL_WCP] = NONE, [REL_WDP] = NONE},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
		.has_deadlock = true,
	},
	{
		.name = "deadlock prevented by a third lock",
		.trace = "T0 acq m; T0 acq a; T0 acq b; T0 rel b; T0 rel a; T0 rel m; "
			 "T1 acq m; T1 acq b; T1 acq a; T1 rel a; T1 rel b; T1 rel m",
		.reads = NONE,
	},
	{
		.name = "figure 1(b)",
		.trace = "T1 acq m; T1 r z; T1 w y; T1 rel m; T2 acq m; T2 w z; T2 w x; T2 rel m; "
			 "T3 acq m; T3 r x; T3 br; T3 rel m; T3 r y",
		.races = {[REL_HB] = NONE,
			  [REL_WCP] = NONE,
			  [REL_DC] = NONE,
			  [REL_SDP] = NONE,
			  [REL_SDPX] = NONE,
			  [REL_WDP] = "2-12"},
		.reads = NONE,
		/* The figure's own reordering shows 2-12, but by definition 2.2 as printed its
		 * racing w(y) makes r(z) causal. */
		.dependence = "2-12",
		.literal = NONE,
	},
	{
		.name = "figure 1(e)",
		.trace = "T1 acq m; T1 r z; T1 br; T1 w y; T1 rel m; T2 acq m; T2 w z; T2 w x; T2 "
			 "rel m; "
			 "T3 acq m; T3 r x; T3 br; T3 rel m; T3 r y",
		.races = {[REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = "3-13"},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "figure 2(a)",
		.trace = "T1 acq m; T1 r x; T1 br; T1 w y; T1 rel m; T2 acq m; T2 w x; T2 rel m; "
			 "T2 r y",
		.races = {[REL_WCP] = NONE, [REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = "3-8"},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "figure 2(b)",
		.trace = "T1 acq m; T1 w y; T1 r x; T1 br; T1 rel m; T2 acq m; T2 w x; T2 rel m; "
			 "T2 r y",
		.races = {[REL_WCP] = NONE, [REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = "1-8"},
		.reads = "1-8",
		.dependence = "1-8",
		.literal = "1-8",
	},
	{
		.name = "figure 3(a)",
		.trace = "T1 acq m; T1 w x; T1 w y; T1 rel m; T2 acq m; T2 w x; T2 rel m; T2 r y; "
			 "T2 acq m; T2 r x; T2 rel m; T2 br",
		.races = {[REL_HB] = NONE,
			  [REL_WCP] = NONE,
			  [REL_DC] = NONE,
			  [REL_SDP] = "2-7",
			  [REL_SDPX] = "2-7",
			  [REL_WDP] = "2-7"},
		.reads = "2-7",
		.dependence = "2-7",
		.literal = "2-7",
	},
	{
		.name = "figure 3(c)",
		.trace = "T1 acq m; T1 w x; T1 acq o; T1 r z; T1 br; T1 w z; T1 rel o; T1 w y; T1 "
			 "rel m; "
			 "T2 acq m; T2 w x; T2 rel m; T2 acq o; T2 r z; T2 br; T2 w z; T2 rel o; "
			 "T2 r x; "
			 "T2 br; T2 r y",
		.races = {[REL_WCP] = NONE,
			  [REL_DC] = NONE,
			  [REL_SDP] = NONE,
			  [REL_SDPX] = NONE,
			  [REL_WDP] = "7-19"},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "figure 4(a)",
		.trace = "T1 w y; T1 acq m; T1 w x; T1 rel m; T2 acq m; T2 r x; T2 rel m; T2 r y",
		.races = {[REL_WCP] = NONE, [REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = "0-7"},
		.reads = NONE,
		.dependence = "0-7",
		.literal = "0-7",
	},
	{
		.name = "figure 4(c)",
		.trace = "T1 w y; T1 acq m; T1 w x; T1 rel m; T2 acq m; T2 r x; T2 r y; T2 br; T2 "
			 "rel m",
		.races = {[REL_WCP] = NONE, [REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = "0-6"},
		.reads = NONE,
		.dependence = "0-6",
		.literal = "0-6",
	},
	{
		.name = "figure 7(a)",
		.trace = "T1 w y; T1 acq m; T1 w x; T1 rel m; T2 acq m; T2 r x; T2 br; T2 rel m; "
			 "T2 r y",
		.races = {[REL_WCP] = NONE, [REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = NONE},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "figure 7(b)", /* the branch depends on what is never read */
		.trace = "T1 w y; T1 acq m; T1 w x; T1 rel m; T2 dep z; T2 acq m; T2 r x; T2 br; "
			 "T2 rel m; T2 r y",
		.races = {[REL_WCP] = NONE, [REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = "0-9"},
		.reads = NONE,
		.dependence = "0-9",
		.literal = "0-9",
	},
	{
		.name = "WDP does not see that a write may depend on a read",
		.trace = "T0 w y; T0 acq m; T0 w x; T0 rel m; T1 acq m; T1 r x; T1 rel m; T1 w y",
		.races = {[REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = "0-7"},
		.reads = NONE,
		.dependence = "0-7",
		.literal = NONE,
	},
	{
		.name = "SDP as printed is not sound",
		.trace = "T0 acq a; T0 acq b; T0 w x; T0 rel b; T0 w y; T0 rel a; "
			 "T1 acq b; T1 w x; T1 rel b; T1 acq a; T1 rel a; T1 acq b; T1 r x; T1 w "
			 "y; T1 rel b",
		.races = {[REL_HB] = NONE, [REL_WCP] = NONE, [REL_SDP] = "4-13", [REL_SDPX] = NONE},
		.reads = NONE,
		.dependence = "4-13",
		.literal = NONE,
	},
	{
		.name = "a write under a lock whose outer lock was left before",
		.trace = "T0 w y; T0 acq a; T0 acq b; T0 rel a; T0 w x; T0 rel b; "
			 "T1 acq b; T1 r x; T1 br; T1 rel b; T1 r y",
		.races = {[REL_DC] = NONE, [REL_SDP] = NONE, [REL_WDP] = NONE},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "WCP needs well-nested locks",
		.trace = "T0 acq a; T0 acq b; T0 rel a; T0 w x; T0 rel b; "
			 "T1 acq a; T1 acq b; T1 rel b; T1 r x; T1 rel a",
		.races = {[REL_HB] = NONE, [REL_WCP] = "3-8", [REL_DC] = "3-8", [REL_SDP] = "3-8"},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "fork under a lock",
		.trace = "T0 acq a; T0 fork T1; T0 w x; T0 rel a; T1 acq a; T1 rel a; T1 r x",
		.races = {[REL_HB] = NONE,
			  [REL_WCP] = NONE,
			  [REL_DC] = NONE,
			  [REL_SDP] = NONE,
			  [REL_SDPX] = NONE,
			  [REL_WDP] = NONE},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
	{
		.name = "composing with HB covers the fork",
		.trace = "T0 w x; T0 acq a; T0 rel a; T1 acq a; T1 rel a; T1 fork T2; T2 w x",
		.races = {[REL_HB] = NONE,
			  [REL_WCP] = NONE,
			  [REL_DC] = "0-6",
			  [REL_SDP] = NONE,
			  [REL_WDP] = "0-6"},
		.reads = "0-6",
		.dependence = "0-6",
		.literal = "0-6",
	},
	{
		.name = "more than the last access of a thread",
		.trace = "T0 w x; T0 acq a; T0 w x; T0 rel a; T1 acq a; T1 w x; T1 rel a",
		.races = {[REL_WCP] = NONE,
			  [REL_SDP] = "0-5",
			  [REL_SDPX] = "0-5",
			  [REL_WDP] = "0-5"},
		.reads = "0-5",
		.dependence = "0-5",
		.literal = "0-5",
	},
	{
		.name = "a section does not order its own thread",
		.trace = "T1 r x; T1 acq a; T1 rel a; T0 acq a; T0 r x; T0 rel a; T0 acq a; T0 w "
			 "x; T0 rel a",
		.races = {[REL_HB] = NONE, [REL_WCP] = "0-7", [REL_SDP] = "0-7", [REL_WDP] = "0-7"},
		.reads = "0-7",
		.dependence = "0-7",
		.literal = "0-7",
	},
	{
		.name = "what a reader learned is not for other readers",
		.trace = "T1 acq l; T1 w x; T1 rel l; T0 racq l; T0 r x; T0 rrel l; "
			 "T2 racq l; T2 rrel l; T2 r x",
		.races = {[REL_HB] = NONE,
			  [REL_WCP] = "1-8",
			  [REL_DC] = "1-8",
			  [REL_SDP] = "1-8",
			  [REL_WDP] = "1-8"},
	},
	{
		.name = "a shared release brings news of another",
		.trace = "T0 racq l; T0 acq m; T0 w x; T0 rel m; T0 w z; T0 rrel l; T1 racq l; "
			 "T1 acq n; T1 w y; T1 rel n; T1 acq m; T1 r x; T1 rel m; T1 rrel l; "
			 "T2 acq n; T2 r y; T2 rel n; T2 acq l; T2 rel l; T2 r z",
		.races = {[REL_WCP] = NONE, [REL_DC] = NONE, [REL_SDP] = NONE},
	},
	{
		.name = "a write does not speak for the reads of its thread",
		.trace = "T1 racq l; T1 r x; T1 rrel l; T1 acq l; T1 w x; T1 rel l; T1 r x; "
			 "T0 acq l; T0 w x",
		.races =
			{[REL_WCP] = "6-8", [REL_DC] = "6-8", [REL_SDP] = "6-8", [REL_WDP] = "6-8"},
	},
	{
		.name = "of shared sections one does not stand for another",
		.trace = "T0 racq l; T0 w x; T0 rrel l; T1 w y; T1 racq l; T1 w x; T1 rrel l; "
			 "T0 racq l; T0 w x; T0 rrel l; T2 acq l; T2 w x; T2 rel l; T2 r x; T2 r y",
		.races = {[REL_SDP] = "1-5 5-8", [REL_SDPX] = "1-5 5-8"},
	},
	{
		.name = "a shared section does not stand for one that holds the lock alone",
		.trace = "T1 acq l; T1 r x; T1 rel l; T2 acq l; T2 r x; T2 rel l; T0 w y; "
			 "T0 acq l; T0 r x; T0 rel l; T0 racq l; T0 r x; T0 rrel l; "
			 "T3 racq l; T3 w x; T3 rrel l; T3 r y",
		.races = {[REL_DC] = "11-14"},
	},
	{
		.name = "join of a thread that did nothing",
		.trace = "T0 w x; T0 fork T1; T2 join T1; T2 w x",
		.races = {[REL_HB] = NONE, [REL_WCP] = NONE, [REL_WDP] = NONE},
		.reads = NONE,
		.dependence = NONE,
		.literal = NONE,
	},
};

unsigned cases_count(void)
{
	return sizeof(known) / sizeof(known[0]);
}

const struct known_case *cases_get(unsigned i)
{
	return &known[i];
}

const struct draft *cases_draft(unsigned i)
{
	static struct draft drafts[sizeof(known) / sizeof(known[0])];
	if (drafts[i].n == 0) {
		bool is_valid = draft_parse(known[i].trace, &drafts[i]);
		assert(is_valid);
	}
	return &drafts[i];
}
