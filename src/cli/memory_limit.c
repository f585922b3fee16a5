/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_limit.c - how much memory and disk an analysis may use
 */
#include "cli/memory_limit.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PART = 4, DISK_PART = 2 };

uint64_t cli_memory_limit(uint64_t given)
{
	struct rlimit space;
	if (given != CLI_MEMORY_NOT_GIVEN)
		return given;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
	    (memory == 0 || space.rlim_cur < memory))
		memory = space.rlim_cur;
	return memory / PART;
}

uint64_t cli_disk_limit(uint64_t given, const char *folder)
{
	struct statvfs disk;
	if (given != CLI_MEMORY_NOT_GIVEN)
		return given;
	return statvfs(folder, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize / DISK_PART
					   : 0;
}
