/* SPDX-License-Identifier: Apache-2.0
 *
 * server.h - a program that runs many times from its first thread creation on
 *
 * Idea.   `snag explore` runs a program under thousands of schedules.  Starting a process takes
 *         milliseconds, and until the first thread is created all runs are the same.  So the
 *         program stops there, forks a child for each schedule that the tool asks for, and waits
 *         for it:
 *
 *           tool                             program (the server)          child
 *             |<------------- READY -------------|
 *             |--- options, "seed=7:..." ------->|---------- fork --------->| follows them
 *             |<------------- STARTED, pid ------|                          | writes to the channel
 *             |<------------- ENDED, status -----|<--------- ends ----------|
 *
 * Rules.  [refuse]   The server does not start where a child would not see what a process of its
 *                    own sees: other threads, children, pipes and sockets, writable shared memory.
 *                    It tells the tool why, and the program goes on as an ordinary run.
 *         [files]    The children share the offsets of open files.  The server sets them back
 *                    before each fork.
 *         [zombie]   The server reaps a child only with the next request, so that the tool can kill
 *                    it by its pid until then.
 *         [group]    A child leads a process group, so that the tool can kill what it has started.
 *         [orphan]   A child ends with the server, and the server with the tool.
 */
#ifndef SNAG_RUNTIME_SERVER_H
#define SNAG_RUNTIME_SERVER_H

#include "runtime/channel/served.h"
#include "runtime/rt.h"

/* Called when the program starts. */
void rt_server_start(void);
/* Called by the main thread before it creates its first thread.  Returns in each child, and in a
 * program that cannot or need not serve. */
void rt_server_begin(struct rt_thread *self);

/* Called before the program launches tasks.  The tool explores these in another way, so this
 * process ends. */
void rt_server_tasks(void);

#endif
