/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_pass.c - the plugin for clang (pass/), as `snag cc` uses it
 */
#include "cc/cc_pass.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool cc_pass_takes(struct cc_pass *p, const char *word)
{
	static const char no[] = "-fsnag-pass-no-";
	bool is_off = strcmp(word, "-fno-snag-pass") == 0;
	bool has_counts = strcmp(word, "-fsnag-pass-count") == 0;
	bool removes = strncmp(word, no, strlen(no)) == 0;
	if (p) {
		p->is_off |= is_off;
		p->has_counts |= has_counts;
		if (removes)
			cc_word_add(&p->no, word + strlen(no));
	}
	return is_off || has_counts || removes;
}

int cc_version(const char *compiler)
{
	const char *const argv[] = {compiler, "-dumpversion", NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], version = -1, status;
	pid_t pid;
	if (pipe(ends) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	int rc = posix_spawnp(&pid, compiler, &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	char text[32] = "";
	if (rc == 0 && read(ends[0], text, sizeof(text) - 1) > 0)
		version = atoi(text);
	close(ends[0]);
	if (rc == 0)
		waitpid(pid, &status, 0);
	return version;
}

void cc_pass_find(struct cc_pass *p, const char *compiler, const char *folder)
{
	char file[32];
	if (p->is_off)
		return;
	snprintf(file, sizeof(file), "/snag-pass-%d.so", cc_version(compiler));
	const char *plugin = cc_words_joined(folder, file);
	if (access(plugin, R_OK) == 0)
		p->plugin = plugin;
}

static void llvm_option(struct cc_words *w, const char *option)
{
	cc_word_add(w, "-mllvm");
	cc_word_add(w, option);
}

/* clang loads the plugin twice: early, so that it knows the plugin's options, and as a pass. A step
 * that compiles nothing does not need the words; one of them keeps clang from warning about
 * that. */
void cc_pass_flags(const struct cc_pass *p, bool has_tasks, bool has_branches, struct cc_words *w)
{
	cc_word_add(w, "--start-no-unused-arguments");
	cc_word_add(w, "-Xclang");
	cc_word_add(w, "-load");
	cc_word_add(w, "-Xclang");
	cc_word_add(w, p->plugin);
	cc_word_add(w, cc_words_joined("-fpass-plugin=", p->plugin));
	cc_word_add(w, "-frecord-command-line"); /* for the self-check (pass_marks.h) */
	if (has_tasks)
		llvm_option(w, "-snag-pass-tasks");
	if (has_branches)
		llvm_option(w, "-snag-pass-branches");
	if (p->has_counts)
		llvm_option(w, "-snag-pass-count");
	for (size_t i = 0; i < p->no.n; i++)
		llvm_option(w, cc_words_joined("-snag-pass-no=", p->no.at[i]));
	cc_word_add(w, "--end-no-unused-arguments");
}
