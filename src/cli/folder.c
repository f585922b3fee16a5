/* SPDX-License-Identifier: Apache-2.0
 *
 * folder.c - where the tool finds what belongs to it
 */
#include "cli/folder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cli_runtime_folder(char *to, size_t room, struct snag_error *err)
{
	static const char *const places[] = {"lib/snag", "../lib/snag"};
	char self[PATH_MAX], file[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		return snag_fail(err, SNAG_EINTERNAL, "/proc/self/exe cannot be read");
	self[n] = 0;
	*strrchr(self, '/') = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(file, sizeof(file), "%s/%s/libsnag_rt.a", self, places[i]);
		if (access(file, R_OK) == 0) {
			snprintf(to, room, "%s/%s", self, places[i]);
			return 0;
		}
	}
	return snag_fail(err, SNAG_EIO, "%s: no runtime in lib/snag or ../lib/snag", self);
}
