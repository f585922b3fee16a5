/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_pair.h - `snag analyze --pair E1,E2`: the reasons why a pair of events is no race
 */
#ifndef SNAG_CLI_ANALYZE_PAIR_H
#define SNAG_CLI_ANALYZE_PAIR_H

#include "detect/analyze/pair.h"
#include "report/report.h"

struct snag_json;

/* Reads "E1,E2". */
int cli_pair_parse(const char *text, uint64_t *ret_e1, uint64_t *ret_e2, struct snag_error *err);

/* Writes why the pair is no race: text, and the member "refuted" of an object that is open. */
void cli_refuted_text(const struct snag_decided_pair *p, uint64_t e1, uint64_t e2,
		      struct snag_printer *to);
void cli_refuted_json(const struct snag_decided_pair *p, struct snag_json *j);

#endif
