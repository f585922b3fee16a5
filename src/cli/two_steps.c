/* SPDX-License-Identifier: Apache-2.0
 *
 * two_steps.c - compiles with a look at the preprocessed text in between
 *
 * Idea.   Each source is preprocessed by a command of its own, with the words of the user, into a
 *         folder that goes away, rewritten, and takes the place of the source in
 *         the user's command.  It keeps its name, so that outputs have the names they
 *         would have; what the compiler says names the source, by the line marks.
 *
 * Rules.  [language]  with -x, or as standard input, nothing is rewritten
 *         [depend]    -M.. (what a source includes) belongs to the first step; the names of the
 *                     rule and of its file follow from the output, as they would
 */
#include "cli/two_steps.h"

#include "base/memory.h"
#include "cli/openmp_pragmas.h"
#include "cli/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct steps {
	const struct words *w;
	cli_takes_value *takes_value;
	bool is_gnu; /* the compiler is gcc */
	char folder[CLI_FOLDER];
	struct words made, folders; /* a file in each */
	const char *output;
	const char *make_file; /* -MF */
	bool has_target;       /* -MT, -MQ */
	bool has_make;	       /* -MD, -MMD */
	bool is_compiling;     /* -c */
};

/* The suffix of preprocessed text in the language of a source; NULL: it is none. */
static const char *suffix_of(const char *word)
{
	static const char *const cxx[] = {".cc", ".cp", ".cxx", ".cpp", ".c++", ".C", ".CPP"};
	const char *dot = strrchr(word, '.');
	if (word[0] == '-' || !dot)
		return NULL;
	if (strcmp(dot, ".c") == 0)
		return ".i";
	for (size_t i = 0; i < sizeof(cxx) / sizeof(cxx[0]); i++)
		if (strcmp(dot, cxx[i]) == 0)
			return ".ii";
	return NULL;
}

static bool is_make_word(const char *word)
{
	return strncmp(word, "-M", 2) == 0;
}

static void words_look(struct steps *s, bool *ret_is_plain)
{
	*ret_is_plain = false;
	for (size_t i = 1; i < s->w->n; i++) {
		const char *word = s->w->at[i], *value = i + 1 < s->w->n ? s->w->at[i + 1] : "";
		if (strncmp(word, "-x", 2) == 0 || strcmp(word, "-E") == 0 ||
		    strcmp(word, "-M") == 0 || strcmp(word, "-MM") == 0)
			*ret_is_plain = true;
		if (strcmp(word, "-o") == 0)
			s->output = value;
		if (strcmp(word, "-MF") == 0)
			s->make_file = value;
		s->is_compiling |= strcmp(word, "-c") == 0;
		s->has_target |= strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0;
		s->has_make |= strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0;
		if (s->takes_value(word))
			i++;
	}
}

/* The file name without its folder and suffix, and another suffix. */
static const char *renamed(const char *name, const char *suffix, bool keeps_folder)
{
	const char *base = keeps_folder ? name : basename(name), *dot = strrchr(base, '.');
	size_t n = dot && !strchr(dot, '/') ? (size_t)(dot - base) : strlen(base);
	char *s = snag_alloc(n + strlen(suffix) + 1);
	memcpy(s, base, n);
	strcpy(s + n, suffix);
	return cli_word_kept(s);
}

/* [depend] What the compiler would have taken by itself. */
static void make_words(const struct steps *s, struct words *to, const char *source)
{
	const char *object = s->output ? s->output : renamed(source, ".o", false);
	if (!s->has_make)
		return;
	if (!s->make_file) {
		cli_word_add(to, "-MF");
		cli_word_add(to, s->output ? renamed(s->output, ".d", true)
					   : renamed(source, ".d", false));
	}
	if (!s->has_target && s->is_compiling) {
		cli_word_add(to, "-MT");
		cli_word_add(to, object);
	}
}

static struct words step_one(const struct steps *s, const char *source, const char *to)
{
	struct words w = {0};
	for (size_t i = 0; i < s->w->n; i++) {
		const char *word = s->w->at[i];
		bool has_value = s->takes_value(word) && i + 1 < s->w->n;
		bool is_left_out = strcmp(word, "-c") == 0 || strcmp(word, "-S") == 0 ||
				   strcmp(word, "-o") == 0 || strncmp(word, "-l", 2) == 0 ||
				   strncmp(word, "-L", 2) == 0 || strncmp(word, "-Wl,", 4) == 0 ||
				   (i && word[0] != '-');
		if (!is_left_out)
			cli_word_add(&w, word);
		if (has_value && !is_left_out)
			cli_word_add(&w, s->w->at[i + 1]);
		i += has_value;
	}
	make_words(s, &w, source);
	cli_word_add(&w, "-E");
	cli_word_add(&w, source);
	cli_word_add(&w, "-o");
	cli_word_add(&w, to);
	return w;
}

static int file_rewrite(const char *path, bool is_gnu, struct snag_error *err)
{
	FILE *f = fopen(path, "r+");
	size_t n = 0, room = 0, got, ndone;
	char *text = NULL;
	if (!f)
		return snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno));
	do {
		text = snag_grow(text, &room, n + 65536, 1);
		got = fread(text + n, 1, room - n, f);
		n += got;
	} while (got > 0);
	char *done = cli_openmp_rewrite(text, n, is_gnu, &ndone);
	rewind(f);
	bool is_bad = ferror(f) || fwrite(done, 1, ndone, f) != ndone;
	is_bad |= fflush(f) != 0 || ftruncate(fileno(f), (off_t)ndone) != 0;
	is_bad |= fclose(f) != 0;
	free(text);
	free(done);
	return is_bad ? snag_fail(err, SNAG_EIO, "%s: cannot be written", path) : 0;
}

/* Preprocesses one source and returns its status; *ret_made is the rewritten text. */
static int source_rewrite(struct steps *s, const char *source, const char **ret_made,
			  struct snag_error *err)
{
	char number[24];
	snprintf(number, sizeof(number), "/%zu", s->made.n); /* two may have one name */
	const char *folder = cli_words_joined(s->folder, number);
	const char *name = renamed(source, suffix_of(source), false);
	*ret_made = cli_words_joined(cli_words_joined(folder, "/"), name);
	if (mkdir(folder, 0700) != 0)
		return snag_fail(err, SNAG_EIO, "%s: %s", folder, strerror(errno));
	cli_word_add(&s->folders, folder);
	struct words w = step_one(s, source, *ret_made);
	cli_word_add(&s->made, *ret_made);
	int rc = cli_words_run(&w, err);
	free(w.at);
	return rc == 0 ? file_rewrite(*ret_made, s->is_gnu, err) : rc;
}

static int step_two(struct steps *s, struct snag_error *err)
{
	struct words w = {0};
	int rc = 0;
	for (size_t i = 0; i < s->w->n && rc == 0; i++) {
		const char *word = s->w->at[i];
		bool has_value = s->takes_value(word) && i + 1 < s->w->n;
		bool is_make = is_make_word(word);
		if (i && suffix_of(word))
			rc = source_rewrite(s, word, &word, err);
		if (!is_make)
			cli_word_add(&w, word);
		if (has_value && !is_make)
			cli_word_add(&w, s->w->at[i + 1]);
		i += has_value;
	}
	if (!s->is_gnu) /* -U and the like were the first step's, which has complained, if need be */
		cli_word_add(&w, "-Wno-unused-command-line-argument");
	if (rc == 0)
		rc = cli_words_run(&w, err);
	free(w.at);
	return rc;
}

int cli_two_steps(const struct words *w, cli_takes_value *takes_value, bool is_gnu,
		  struct snag_error *err)
{
	struct steps s = {.w = w, .takes_value = takes_value, .is_gnu = is_gnu};
	bool is_plain;
	words_look(&s, &is_plain);
	if (is_plain)
		return cli_words_run(w, err);
	int rc = cli_temporary_make(s.folder, err);
	if (rc == 0)
		rc = step_two(&s, err);
	for (size_t i = 0; i < s.folders.n; i++) {
		unlink(s.made.at[i]);
		rmdir(s.folders.at[i]);
	}
	cli_temporary_remove(s.folder);
	free(s.made.at);
	free(s.folders.at);
	return rc;
}
