/* SPDX-License-Identifier: Apache-2.0
 *
 * libraries.h - the files a program is made of: its own, and the shared libraries it needs
 *
 * Found as the loader does, by DT_RPATH, LD_LIBRARY_PATH and DT_RUNPATH, and in
 * /usr/local/lib; not in the system's own folders, whose libraries were not built by `snag
 * cc`.  The runtime reports libraries that the program opens by itself (record/launch.h).
 */
#ifndef SNAG_CC_LIBRARIES_H
#define SNAG_CC_LIBRARIES_H

#include <limits.h>

/* Finds the file of the program, as a shell does. */
void cc_program_path(const char *program, char ret_path[PATH_MAX]);

typedef void cc_file_handler(void *ctx, const char *path);

/* Lists the program first, then its libraries, each file once. */
void cc_program_files(const char *program, cc_file_handler *handler, void *ctx);

#endif
