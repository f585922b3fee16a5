/* SPDX-License-Identifier: Apache-2.0
 *
 * detector_names.h - the LIST of --with
 */
#ifndef SNAG_CLI_DETECTOR_NAMES_H
#define SNAG_CLI_DETECTOR_NAMES_H

#include "detect/analyze/analyze.h"

/* Fills options->detector[]: the names of `list` separated by commas, each once;
 * "all"; or, if `list` is NULL, those that run by default.  Only detectors that can judge
 * some of the operations `of` are known here. */
int cli_detectors_choose(const char *list, uint32_t of, struct snag_analyze_options *options,
			 struct snag_error *err);

#endif
