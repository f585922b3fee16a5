/* SPDX-License-Identifier: Apache-2.0
 *
 * error.h - how libraries report failures
 *
 * A fallible function returns 0 (or a non-negative result) on success, and a negative code from
 * enum snag_code on failure.  Where text is needed, it fills the caller's struct snag_error with
 * one complete line, such as "run.std:17: release of lock 'l' by T1, which does not hold it".
 * Nothing outside cli/ prints.
 *
 * Running out of memory is not an input error: allocation failures end the process with one line
 * and exit status 125, see memory.h.
 */
#ifndef SNAG_BASE_ERROR_H
#define SNAG_BASE_ERROR_H

enum snag_code {
	SNAG_EINPUT = -1,    /* bad input or bad usage: exit status 2 */
	SNAG_EIO = -2,	     /* the system refused: missing file, full disk, ... : exit status 2 */
	SNAG_EINTERNAL = -3, /* the tool itself failed: exit status >= 125 */
	/* No failure: a running program split a variable, so a consumer that ignores splits has to
	 * read the recorded file instead (record/live.h). */
	SNAG_ESPLIT = -4,
};

struct snag_error {
	int code;      /* 0, or a negative enum snag_code */
	char msg[512]; /* one line, no newline, names file and place */
};

/* Fills *err (which may be NULL) and returns `code`, so that a caller can write `return
 * snag_fail(err, SNAG_EINPUT, "...")`.  Replaces control characters and bytes that are not
 * printable ASCII or UTF-8, so that hostile input cannot break the line. */
int snag_fail(struct snag_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
