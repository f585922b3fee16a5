/* SPDX-License-Identifier: Apache-2.0
 *
 * libraries.h - the files a program is made of: its own, and the shared libraries it needs
 *
 * The libraries are searched as the loader does: in DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH and
 * /usr/local/lib.  The system's own folders are left out: `snag cc` did not build their libraries.
 * The runtime reports libraries that the program opens by itself (record/launch.h).
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
