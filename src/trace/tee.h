/* SPDX-License-Identifier: Apache-2.0
 *
 * tee.h - a source that writes what passes through it to a file
 *
 * What cannot be read twice (a running program) is written as it is read; opening the
 * source again reads the file, which must be complete by the time of the first next().  Splits
 * (split.h) are written behind the events, so the file delivers refined events unless it is asked for
 * recorded ones.
 *
 * If writing fails (full disk), the source ends there for its consumer.  What was written stays, and is
 * read leniently.  The rest of what passes through is dropped.
 */
#ifndef SNAG_TRACE_TEE_H
#define SNAG_TRACE_TEE_H

#include "trace/source.h"

/* Takes over `inner`, also on failure.  The file is complete when next() has returned 0, and is left
 * behind; its format is that of its name. */
int snag_tee_source(struct snag_source *inner, const char *path, struct snag_source **ret_src,
		    struct snag_error *err);
/* Why the file was cut short, in words; NULL: it was not. */
const char *snag_tee_cut(const struct snag_source *tee);
/* The source inside, which still belongs to the tee. */
struct snag_source *snag_tee_inner(const struct snag_source *tee);

#endif
