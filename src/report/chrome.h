/* SPDX-License-Identifier: Apache-2.0
 *
 * chrome.h - a trace in Chrome's trace event format, for Perfetto and chrome://tracing
 */
#ifndef SNAG_REPORT_CHROME_H
#define SNAG_REPORT_CHROME_H

#include "report/printer.h"
#include "trace/source.h"

/* Reads the source to its end.  A trace has an order and no times: the n-th event is at n
 * microseconds. */
int snag_chrome_write(struct snag_source *src, struct snag_printer *to, struct snag_error *err);

#endif
