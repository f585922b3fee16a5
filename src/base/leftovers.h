/* SPDX-License-Identifier: Apache-2.0
 *
 * leftovers.h - temporary files that must not outlive the process
 *
 * Idea.  A file under a temporary name is renamed or removed by the code that made it.  If memory
 *        runs out, that code gets no chance.  So it registers the path here, and the process
 *        removes every registered path before it ends.
 * Rules. A path is registered right after the file exists, and forgotten right after the file was
 *        renamed or removed.  A folder is removed with what is in it.  A child of fork() removes
 *        nothing.
 * Cost.  No allocation.  Beyond 64 files at once, the others are not registered.
 */
#ifndef SNAG_BASE_LEFTOVERS_H
#define SNAG_BASE_LEFTOVERS_H

void snag_leftover_add(const char *path); /* the path stays valid until forgotten */
void snag_leftover_forget(const char *path);
void snag_leftovers_remove(void); /* memory.c calls it when memory has run out */

#endif
