/* SPDX-License-Identifier: Apache-2.0
 *
 * detector_names.h - the LIST of --with
 */
#ifndef SNAG_CLI_DETECTOR_NAMES_H
#define SNAG_CLI_DETECTOR_NAMES_H

#include "detect/analyze.h"

/* Fills options->detector[]: the names of `list` separated by commas, each once;
 * "all"; or, if `list` is NULL, those that run by default. */
int cli_detectors_choose(const char *list, struct snag_analyze_options *options,
			 struct snag_error *err);

#endif
