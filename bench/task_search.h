/* SPDX-License-Identifier: Apache-2.0
 *
 * task_search.h - which order of searching the waits of tasks is best?
 */
#ifndef SNAG_BENCH_TASK_SEARCH_H
#define SNAG_BENCH_TASK_SEARCH_H

#include "trace/trace.h"

void task_search_header(void);
/* Prints a line of CSV for each order of search, with_all: of all waits too, and no search twice.
 * Names are not needed, only how many there are. */
void task_search(const char *program, const struct snag_trace *trace,
		 const struct snag_counts *counts, bool with_all);

#endif
