/* SPDX-License-Identifier: Apache-2.0
 *
 * observed_order.c - which races a run of tasks has in the order in which its sections ran
 */
#include "cli/observed_order.h"

#include "cli/interrupt.h"

#include <string.h>

static struct snag_findings *findings_of(struct snag_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->findings[i].name, name) == 0)
			return &a->findings[i];
	return NULL;
}

static void races_forget(struct snag_findings *f)
{
	for (size_t i = 0; i < f->nraces; i++)
		snag_race_done(&f->race[i]);
	f->nraces = f->nracy = 0;
	f->npairs = f->abridged = 0;
}

int cli_observed_order(struct cli_observed *o, struct snag_analysis *a, bool of_locks,
		       struct snag_error *err)
{
	const uint32_t sections =
		SNAG_OP_BIT(ISOLATED_BEGIN) | (of_locks ? SNAG_OP_BIT(ACQUIRE) : 0);
	const struct snag_analyze_options options = {
		.detector = {snag_detector_find("drdp", 4), snag_detector_find("sections", 8)},
		.ndetectors = 2,
		.jobs = 1,
		.ordered_locks = of_locks,
		.stop = &cli_stop};
	const struct snag_findings *drdp = findings_of(a, "drdp");
	struct snag_analysis observed;
	if (!drdp || !drdp->nraces || !(a->ops & sections))
		return 0;
	int rc = cli_observed_again(o, &options, &observed, err);
	if (rc < 0)
		return rc;
	observed.interrupted |= a->interrupted;
	races_forget(findings_of(&observed, "drdp"));
	snag_analysis_done(a);
	*a = observed;
	return 1;
}
