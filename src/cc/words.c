/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - a command to run, word by word
 */
#include "cc/words.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void cc_word_add(struct cc_words *w, const char *word)
{
	w->at = snag_grow(w->at, &w->cap, w->n + 2, sizeof(*w->at));
	w->at[w->n++] = word;
	w->at[w->n] = NULL;
}

const char *cc_word_kept(char *made)
{
	static struct cc_words kept;
	cc_word_add(&kept, made);
	return made;
}

const char *cc_words_joined(const char *a, const char *b)
{
	size_t n = strlen(a) + strlen(b) + 1;
	char *s = snag_alloc(n);
	snprintf(s, n, "%s%s", a, b);
	return cc_word_kept(s);
}

static int words_run(const struct cc_words *w, posix_spawn_file_actions_t *actions,
		     struct snag_error *err)
{
	pid_t pid;
	int status;
	int rc = posix_spawnp(&pid, w->at[0], actions, NULL, (char *const *)w->at, environ);
	if (rc != 0)
		return snag_fail(err, SNAG_EIO, "%s: %s", w->at[0], strerror(rc));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return snag_fail(err, SNAG_EIO, "%s: %s", w->at[0], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cc_words_run(const struct cc_words *w, struct snag_error *err)
{
	return words_run(w, NULL, err);
}

int cc_words_run_into(const struct cc_words *w, const char *file, struct snag_error *err)
{
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, file,
					 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int rc = words_run(w, &actions, err);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}
