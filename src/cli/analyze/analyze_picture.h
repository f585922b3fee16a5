/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_picture.h - `snag analyze --pair E1,E2 --dot FILE`: why a pair is no race, for graphviz
 */
#ifndef SNAG_CLI_ANALYZE_PICTURE_H
#define SNAG_CLI_ANALYZE_PICTURE_H

#include "detect/analyze/pair.h"

/* Writes the picture of a pair that is refuted: text for graphviz, or SVG, as snag_dot_write(). */
int cli_refuted_picture(const struct snag_decided_pair *pair, const uint64_t event[2],
			const char *path, struct snag_error *err);

#endif
