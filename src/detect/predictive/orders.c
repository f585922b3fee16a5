/* SPDX-License-Identifier: Apache-2.0
 *
 * orders.c - the predictive orders: WCP, DC, SDP, its repair, and WDP
 *
 * One engine (predictive.h) and five records of rules: the columns of table 2 of Genç, Roemer,
 * Xu and Bond, OOPSLA 2019, and of the repaired SDP.
 *
 * The first column, HB, orders all sections of a lock, release to acquire.  There one clock per
 * lock is enough, and no section must be remembered.  So HB has no record here.  It is clocks.h,
 * which hb, shb and mixed share, and which also distinguishes the memory orders of atomics.
 */
#include "detect/predictive/predictive_engine.h"

/*                          wcp          dc           sdp             sdpx           wdp
 * sections of a lock       conflicting  conflicting  conflicting     conflicting    last write-read
 * release ordered to       access       access       access or read  access or read branch
 * includes program order   no           yes          no              no             yes
 * composes with HB         yes          no           yes             yes            no
 * write-write sections     -            -            no              yes            -
 * disjoint locksets        no           no           yes             yes            yes
 */
static const struct snag_order_rules wcp_rules = {
	.sections = SNAG_CONFLICTING,
	.to = SNAG_TO_ACCESS,
	.composes_with_hb = true,
};

static const struct snag_order_rules dc_rules = {
	.sections = SNAG_CONFLICTING,
	.to = SNAG_TO_ACCESS,
	.includes_program_order = true,
};

static const struct snag_order_rules sdp_rules = {
	.sections = SNAG_CONFLICTING,
	.to = SNAG_TO_ACCESS_OR_READ,
	.composes_with_hb = true,
	.disjoint_locksets = true,
};

static const struct snag_order_rules sdpx_rules = {
	.sections = SNAG_CONFLICTING,
	.to = SNAG_TO_ACCESS_OR_READ,
	.composes_with_hb = true,
	.write_write_sections = true,
	.disjoint_locksets = true,
};

static const struct snag_order_rules wdp_rules = {
	.sections = SNAG_LAST_WRITE_READ,
	.to = SNAG_TO_BRANCH,
	.includes_program_order = true,
	.disjoint_locksets = true,
};

/* The engine, specialised to one record of rules. */
#define ORDER(name)                                                            \
	static void name##_events(void *state, const struct snag_batch *batch) \
	{                                                                      \
		engine_run(&name##_rules, state, batch);                       \
	}                                                                      \
	static void name##_end(void *state)                                    \
	{                                                                      \
		snag_predictive_end(state, &name##_rules);                     \
	}                                                                      \
	static void name##_close(void *state)                                  \
	{                                                                      \
		snag_predictive_close(state, &name##_rules);                   \
	}

ORDER(wcp)
ORDER(dc)
ORDER(sdp)
ORDER(sdpx)
ORDER(wdp)

const struct snag_detector snag_detector_wcp = {
	.name = "wcp",
	.summary = "happens-before, but only conflicting critical sections are ordered",
	.kind = "relation",
	.guarantee = "first race sound (race or deadlock) if locks nest; not complete",
	.cost = "O(locks held) per access, O(threads) per acquire with news",
	.reference = "Kini et al., PLDI 2017",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_UNVERIFIED,
	.orders_races = true,
	.decide = SNAG_DECIDE_READS,
	.decide_if_short = true,
	.open = snag_predictive_open,
	.events = wcp_events,
	.end = wcp_end,
	.close = wcp_close,
};

const struct snag_detector snag_detector_dc = {
	.name = "dc",
	.summary = "as wcp, with program order instead of happens-before",
	.kind = "relation",
	.guarantee = "neither sound nor complete: candidates",
	.cost = "O(locks held) per access, O(threads) per release",
	.reference = "Roemer et al., PLDI 2018",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_UNVERIFIED,
	.orders_races = true,
	.decide = SNAG_DECIDE_READS,
	.vindicates_dc = true,
	.open = snag_predictive_open,
	.events = dc_events,
	.end = dc_end,
	.close = dc_close,
};

const struct snag_detector snag_detector_sdp = {
	.name = "sdp",
	.summary = "as wcp, but writes are ordered only to the next read",
	.kind = "relation",
	.guarantee = "not sound as printed (see sdpx); not complete",
	.cost = "as wcp, and O(unordered accesses) per access",
	.reference = "Genc et al., OOPSLA 2019, table 2",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_UNVERIFIED,
	.orders_races = true,
	.decide = SNAG_DECIDE_DEPENDENCE,
	.decide_if_short = true,
	.disjoint_locksets = true,
	.open = snag_predictive_open,
	.events = sdp_events,
	.end = sdp_end,
	.close = sdp_close,
};

const struct snag_detector snag_detector_sdpx = {
	.name = "sdpx",
	.summary = "sdp, and sections whose acquires write-write conflicts order",
	.kind = "relation",
	.guarantee = "first race sound (race or deadlock) if locks nest; not complete",
	.cost = "as sdp, every section filed",
	.reference = "repairs Genc et al., OOPSLA 2019",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_UNVERIFIED,
	.orders_races = true,
	.decide = SNAG_DECIDE_DEPENDENCE,
	.decide_if_short = true,
	.disjoint_locksets = true,
	.open = snag_predictive_open,
	.events = sdpx_events,
	.end = sdpx_end,
	.close = sdpx_close,
};

const struct snag_detector snag_detector_wdp = {
	.name = "wdp",
	.summary = "a write before the branches that depend on who read it",
	.kind = "relation",
	.guarantee = "complete: no predictable race is missing; not sound: candidates",
	.cost = "as dc, and O(unordered accesses) per access",
	.reference = "Genc et al., OOPSLA 2019",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_UNVERIFIED,
	.orders_races = true,
	.decide = SNAG_DECIDE_DEPENDENCE,
	.is_complete = true,
	.disjoint_locksets = true,
	.open = snag_predictive_open,
	.events = wdp_events,
	.end = wdp_end,
	.close = wdp_close,
};
