/* SPDX-License-Identifier: Apache-2.0
 *
 * temporary.c - a folder for the time of a command
 */
#include "base/temporary.h"

#include "base/leftovers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int snag_temporary_make(char ret_folder[SNAG_TEMPORARY_MAX], struct snag_error *err)
{
	const char *tmp = getenv("TMPDIR");
	int n = snprintf(ret_folder, SNAG_TEMPORARY_MAX, "%s/snag.XXXXXX",
			 tmp && *tmp ? tmp : "/tmp");
	if (n < SNAG_TEMPORARY_MAX && mkdtemp(ret_folder)) {
		snag_leftover_add(ret_folder);
		return 0;
	}
	int why = n < SNAG_TEMPORARY_MAX ? errno : ENAMETOOLONG;
	ret_folder[0] = 0;
	return snag_fail(err, SNAG_EIO, "TMPDIR: %.300s: %s", tmp && *tmp ? tmp : "/tmp",
			 strerror(why));
}

void snag_temporary_remove(const char *folder)
{
	if (!folder[0])
		return;
	if (rmdir(folder) == 0)
		snag_leftover_forget(folder);
}
