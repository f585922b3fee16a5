/* SPDX-License-Identifier: Apache-2.0
 *
 * check_lattice.c - what the relations promise
 *
 *   races   SHB in HB in WCP in DC in WDP;  WCP in SDPX in SDP in WDP
 *   WDP     misses no predictable race, by either definition
 *   HYBRID  misses none by READS
 *   WCP, SDPX  with well-nested locks: any race means a predictable race or deadlock
 *   every predictable race by READS is one by DEPENDENCE
 *
 * Reference.  Genç, Roemer, Xu and Bond, OOPSLA 2019, figure 6 and table 3.
 */
#include "check.h"

static const struct {
	enum relation small, large; /* every race of the small one is one of the large one */
} contained[] = {
	{REL_SHB, REL_HB},   {REL_HB, REL_WCP},	 {REL_WCP, REL_DC}, {REL_WCP, REL_SDPX},
	{REL_SDPX, REL_SDP}, {REL_SDP, REL_WDP}, {REL_DC, REL_WDP},
};

static enum outcome check_containment(struct subject *s, struct reason *why)
{
	for (unsigned i = 0; i < sizeof(contained) / sizeof(contained[0]); i++)
		for (unsigned e2 = 0; e2 < s->model.n; e2++) {
			event_set extra = subject_races(s, contained[i].small, e2) &
					  ~subject_races(s, contained[i].large, e2);
			if (extra)
				return check_fail(why, "%u-%u is a race by %s, but not by %s",
						  take_first(&extra), e2,
						  relation_name[contained[i].small],
						  relation_name[contained[i].large]);
		}
	return PASSED;
}

static enum outcome check_completeness(struct subject *s, const struct search *reads,
				       const struct search *dependence, struct reason *why)
{
	for (unsigned e2 = 0; e2 < s->model.n; e2++) {
		event_set missed =
			search_races(dependence, e2) & below(e2) & ~subject_races(s, REL_WDP, e2);
		if (missed)
			return check_fail(why, "%u-%u is predictable, but no race by wdp",
					  take_first(&missed), e2);
		missed = search_races(reads, e2) & below(e2) & ~subject_races(s, REL_HYBRID, e2);
		if (missed)
			return check_fail(why, "%u-%u is predictable, but no race by hybrid",
					  take_first(&missed), e2);
		event_set extra = search_races(reads, e2) & ~search_races(dependence, e2);
		if (extra)
			return check_fail(why,
					  "%u-%u is predictable by READS, but not by DEPENDENCE",
					  take_first(&extra), e2);
	}
	return PASSED;
}

static enum outcome check_soundness(struct subject *s, const struct search *reads,
				    enum relation which, struct reason *why)
{
	if (!s->model.is_nested || !subject_has_race(s, which) || search_has_race(reads) ||
	    search_has_deadlock(reads))
		return PASSED;
	return check_fail(why, "%s has a race, but there is no predictable race or deadlock",
			  relation_name[which]);
}

enum outcome check_sdp_sound(struct subject *s, struct reason *why)
{
	const struct search *reads = subject_search(s, SNAG_RULES_READS);
	if (s->model.has_shared || s->model.has_atomic || !reads)
		return SKIPPED;
	return check_soundness(s, reads, REL_SDP, why);
}

enum outcome check_lattice(struct subject *s, struct reason *why)
{
	/* The relations are defined for plain accesses and exclusive locks. */
	if (s->model.has_shared || s->model.has_atomic)
		return SKIPPED;
	const struct search *reads = subject_search(s, SNAG_RULES_READS);
	const struct search *dependence = subject_search(s, SNAG_RULES_DEPENDENCE);
	enum outcome outcome = check_containment(s, why);
	if (outcome == PASSED && reads && dependence)
		outcome = check_completeness(s, reads, dependence, why);
	if (outcome == PASSED && reads)
		outcome = check_soundness(s, reads, REL_WCP, why);
	if (outcome == PASSED && reads)
		outcome = check_soundness(s, reads, REL_SDPX, why);
	return outcome;
}
