/* SPDX-License-Identifier: Apache-2.0
 *
 * task_search.h - which order of searching the waits of tasks is best?
 */
#ifndef SNAG_BENCH_TASK_SEARCH_H
#define SNAG_BENCH_TASK_SEARCH_H

#include "trace/source.h"

void task_search_header(void);
/* Prints a line of CSV for each order of search; each opens the trace anew. */
void task_search(const char *program, struct snag_source *(*open)(const void *ctx),
		 const void *ctx);

#endif
