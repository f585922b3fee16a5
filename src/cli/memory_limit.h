/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_limit.h - how much memory and disk an analysis may use
 */
#ifndef SNAG_CLI_MEMORY_LIMIT_H
#define SNAG_CLI_MEMORY_LIMIT_H

#include <stdint.h>

#define CLI_MEMORY_NOT_GIVEN UINT64_MAX

/* The value of --memory in bytes.  If it was not given: a quarter of the machine's memory, or
 * of the address space that the process may use (ulimit -v) if that is smaller. */
uint64_t cli_memory_limit(uint64_t given);
/* The value of --disk in bytes.  If it was not given: half of what is free where the folder is. */
uint64_t cli_disk_limit(uint64_t given, const char *folder);

#endif
