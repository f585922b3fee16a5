/* SPDX-License-Identifier: Apache-2.0
 *
 * picture.h - the computation graph of a run of tasks, for graphviz
 */
#ifndef SNAG_CLI_PICTURE_H
#define SNAG_CLI_PICTURE_H

#include "detect/analyze/analyze.h"
#include "trace/source.h"

/* Reads the run again and draws it with its races. */
int cli_picture_write(const struct snag_source *src, const struct snag_analysis *a,
		      const char *title, const char *path, struct snag_error *err);

#endif
