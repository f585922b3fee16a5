/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h - random traces of up to 1,000 events
 */
#ifndef CAMPAIGN_PROGRAM_H
#define CAMPAIGN_PROGRAM_H

#include "../prng.h"

#include "trace/trace.h"

enum { PROGRAM_EVENTS = 1000, PROGRAM_THREADS = 8, PROGRAM_VARIABLES = 12, PROGRAM_LOCKS = 6 };

/* A well-formed trace, initialised here; the same for the same generator state. */
void program_run(struct prng *random, struct snag_trace *ret_trace);

#endif
