/* SPDX-License-Identifier: Apache-2.0
 *
 * roomy.h - runs a function on a large stack, even if the user's limit is small
 */
#ifndef SNAG_CLI_ROOMY_H
#define SNAG_CLI_ROOMY_H

typedef int cli_main_fn(int argc, char **argv);

/* Calls f and returns its result. If the limit of the stack (ulimit -s) is small, f runs in a
 * thread with a larger stack, and so do the threads that f creates. The limit itself stays,
 * because programs that snag runs inherit it. */
int cli_with_room(cli_main_fn *f, int argc, char **argv);

#endif
