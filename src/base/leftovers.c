/* SPDX-License-Identifier: Apache-2.0
 *
 * leftovers.c - temporary files that must not outlive the process
 */
#include "base/leftovers.h"

#include "base/memory.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64, MOST_DESCRIPTORS = 8 };

static struct {
	pthread_mutex_t mutex;
	const char *path[MOST];
	unsigned n;
	pid_t pid; /* the process that made the files */
} leftovers = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void snag_leftover_add(const char *path)
{
	pthread_mutex_lock(&leftovers.mutex);
	if (leftovers.n < MOST)
		leftovers.path[leftovers.n++] = path;
	leftovers.pid = getpid();
	pthread_mutex_unlock(&leftovers.mutex);
	snag_memory_at_end(snag_leftovers_remove);
}

void snag_leftover_forget(const char *path)
{
	pthread_mutex_lock(&leftovers.mutex);
	for (unsigned i = leftovers.n; i-- > 0;)
		if (strcmp(leftovers.path[i], path) == 0) {
			leftovers.path[i] = leftovers.path[--leftovers.n];
			break;
		}
	pthread_mutex_unlock(&leftovers.mutex);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	remove(path);
	return 0;
}

/* Takes no lock: the process ends. */
void snag_leftovers_remove(void)
{
	if (getpid() != leftovers.pid)
		return;
	for (unsigned i = leftovers.n; i-- > 0;)
		nftw(leftovers.path[i], remove_entry, MOST_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}
