/* SPDX-License-Identifier: Apache-2.0
 *
 * tee.h - a source that writes the events it delivers to a file
 *
 * A running program cannot be read twice, so its events are written as they are read.  Opening
 * the source again reads the file, which must be complete by the time of the first next().
 * Splits (split.h) are written after the events, so the file delivers refined events unless its
 * consumer asks for recorded ones.
 *
 * If writing fails (full disk), the source ends there for its consumer.  The written part stays
 * and is read leniently.  The rest of the events is dropped.  So it is if the file reaches its
 * bound, but then the file is whole: it has the splits of its events.
 */
#ifndef SNAG_TRACE_TEE_H
#define SNAG_TRACE_TEE_H

#include "trace/source.h"

/* Takes over `inner`, also on failure.  The file is complete when next() has returned 0, and
 * stays; its name chooses the format. */
int snag_tee_source(struct snag_source *inner, const char *path, struct snag_source **ret_src,
		    struct snag_error *err);
/* Ends the file when it has about so many bytes; 0: never.  Call it before the first next(). */
void snag_tee_bound(struct snag_source *tee, uint64_t nbytes);
/* Returns why the file was cut short, or NULL if it was not. */
const char *snag_tee_cut(const struct snag_source *tee);
/* The source inside, which still belongs to the tee. */
struct snag_source *snag_tee_inner(const struct snag_source *tee);

#endif
