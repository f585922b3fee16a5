/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_replay.c - any bytes as a file that `snag replay` follows
 *
 * A file that is read has turns of which each is a number that the runtime of a program accepts.
 */
#include "fuzz.h"
#include "record/replay/replay_file.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char path[40];
	struct snag_replay_file file;
	struct snag_error err = {0};
	int fd = memfd_create("replay", MFD_CLOEXEC);
	fuzz_require(fd >= 0 && write(fd, n ? (const void *)bytes : "", n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (snag_replay_file_read(path, &file, &err) == 0) {
		for (size_t i = 0; i < file.turns.n; i++)
			fuzz_require(file.turns.at[i].events <= INT64_MAX / 10);
		snag_replay_file_done(&file);
	} else {
		fuzz_require(err.msg[0]);
	}
	close(fd);
	return 0;
}
