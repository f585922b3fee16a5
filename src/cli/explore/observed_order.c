/* SPDX-License-Identifier: Apache-2.0
 *
 * observed_order.c - which races a run of tasks has in the order in which its sections ran
 */
#include "cli/explore/observed_order.h"

#include "cc/updates/updates_match.h"
#include "cli/interrupt.h"

#include <stdlib.h>
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

bool cli_has_choices(const struct snag_names *names)
{
	const struct snag_strtab *locks = &names->space[SNAG_SPACE_LOCK];
	const size_t begin = strlen(SNAG_UPDATE_NAME);
	for (uint32_t i = 0; i < locks->n; i++) {
		const char *name = snag_strtab_get(locks, i);
		unsigned long op = strncmp(name, SNAG_UPDATE_NAME, begin) == 0
					   ? strtoul(name + begin, NULL, 10) % CC_UPDATE_OPS
					   : 0;
		if (op == CC_UPDATE_LEAST || op == CC_UPDATE_GREATEST)
			return true;
	}
	return false;
}

int cli_observed_order(struct cli_observed *o, struct snag_analysis *a, bool of_openmp,
		       struct snag_error *err)
{
	const uint32_t sections = SNAG_OP_BIT(ISOLATED_BEGIN) | SNAG_OP_BIT(ACQUIRE) |
				  (of_openmp ? 0 : SNAG_OPS_OF_ATOMICS);
	const struct snag_analyze_options options = {
		.detector = {snag_detector_find("drdp", 4), snag_detector_find("sections", 8)},
		.ndetectors = 2,
		.jobs = 1,
		.ordered.locks = true,
		.ordered.atomics = !of_openmp,
		.ordered.updates = cli_has_choices(snag_analysis_names(a, o->src)),
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
