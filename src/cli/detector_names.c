/* SPDX-License-Identifier: Apache-2.0
 *
 * detector_names.c - the LIST of --with
 */
#include "cli/detector_names.h"

#include "cli/suggest.h"

#include <assert.h>
#include <string.h>

static void choose(struct snag_analyze_options *options, const struct snag_detector *detector)
{
	for (size_t i = 0; i < options->ndetectors; i++)
		if (options->detector[i] == detector)
			return;
	assert(options->ndetectors < SNAG_MAX_DETECTORS);
	options->detector[options->ndetectors++] = detector;
}

static int unknown(const char *name, size_t len, uint32_t of, struct snag_error *err)
{
	char known[256] = "", more[SUGGESTION_BYTES];
	struct suggestion near;
	suggestion_begin(&near, name, len);
	for (size_t i = 0; snag_detectors[i]; i++) {
		if (!(snag_detectors[i]->ops & of))
			continue;
		suggestion_offer(&near, snag_detectors[i]->name);
		if (known[0])
			strncat(known, ", ", sizeof(known) - strlen(known) - 1);
		strncat(known, snag_detectors[i]->name, sizeof(known) - strlen(known) - 1);
	}
	return snag_fail(err, SNAG_EINPUT, "--with: unknown detector '%.*s'%s; known: %s",
			 (int)(len < 64 ? len : 64), name, suggestion_text(&near, "", more), known);
}

int cli_detectors_choose(const char *list, uint32_t of, struct snag_analyze_options *options,
			 struct snag_error *err)
{
	if (!list || strcmp(list, "all") == 0) {
		options->fitting = true;
		for (size_t i = 0; snag_detectors[i]; i++)
			if ((list || snag_detectors[i]->by_default) &&
			    (snag_detectors[i]->ops & of))
				choose(options, snag_detectors[i]);
		return 0;
	}
	for (;;) {
		size_t len = strcspn(list, ",");
		const struct snag_detector *detector = snag_detector_find(list, len);
		if (!detector || !(detector->ops & of))
			return unknown(list, len, of, err);
		choose(options, detector);
		if (!list[len])
			return 0;
		list += len + 1;
	}
}
