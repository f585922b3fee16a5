/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline.h - reports of an earlier run that do not fail this one
 */
#ifndef SNAG_CLI_BASELINE_H
#define SNAG_CLI_BASELINE_H

#include "report/incident/suppress.h"

/* Suppresses, by their ids, the incidents in a file that `snag run --json` wrote.  `path` NULL:
 * there is none. */
int cli_baseline_read(const char *path, struct snag_suppressions *s, struct snag_error *err);

#endif
