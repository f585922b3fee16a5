/* SPDX-License-Identifier: Apache-2.0
 *
 * two_steps.c - compiles in two steps: preprocesses, rewrites the text, and compiles the result
 *
 * Idea.   A command with the user's words preprocesses each source into a temporary folder.  The
 *         rewritten text takes the place of the source in the user's command.  It has the name of
 *         the source, so that outputs have their usual names.  By its line marks, the messages of
 *         the compiler name the source.
 *
 * Rules.  [language]  follows from the suffix, or from -x before the source; a preprocessed source
 *                     is only rewritten
 *         [comments]  The first step ignores the user's options about comments and marks of lines,
 *                     and -fdirectives-only, with which gcc would lose pragmas
 *         [errors]    in the second step macros and comments are gone, so compilers give warnings
 *                     that the source does not deserve.  If warnings are errors, the compiler
 *                     checks the source itself first, and the second step gives no warnings
 *         [fortran] Sources are preprocessed if their suffix is in upper case, or with -cpp.  If
 *                   the rewritten source does not compile, the compiler gets the source itself, so
 *                   that its messages are about the user's text.  The rewritten source uses a
 *                   module (fortran_openmp.h).
 *         [depend]    -M.. (what a source includes) belongs to the first step; the rule and its
 *                     file get the names that they would get without snag
 */
#include "cc/two_steps.h"

#include "base/memory.h"
#include "cc/fortran/fortran_openmp.h"
#include "cc/openmp/openmp_pragmas.h"
#include "cc/text/text.h"
#include "cc/updates/updates.h"
#include "base/temporary.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIXED_COLUMNS = 72 };

struct steps {
	const struct cc_words *w;
	cc_takes_value *takes_value;
	enum cc_compiler compiler;
	bool has_openmp;
	char folder[SNAG_TEMPORARY_MAX];
	struct cc_words made, folders; /* a file of the rewritten text in each folder */
	const char *output;
	const char *make_file;	/* -MF */
	bool has_target;	/* -MT, -MQ */
	bool has_make;		/* -MD, -MMD */
	bool has_inner_make;	/* -Wp,-MD,file: clang goes by the output, too */
	bool is_compiling;	/* -c */
	bool has_errors;	/* -Werror */
	bool is_cpp;		/* -cpp: the compiler preprocesses Fortran whatever its suffix is */
	bool is_fixed, is_free; /* -ffixed-form, -ffree-form */
	size_t columns;		/* of Fortran's fixed form */
	bool has_fortran;	/* the command has a source of Fortran that the rewriter takes */
	const char *language;	/* the value of -x for the sources that follow; NULL: none */
};

/* The kinds of sources that the rewriter takes, by their suffix or by -x. */
static const struct source {
	const char *name;
	const char *suffix;   /* the suffix of the preprocessed text */
	const char *language; /* the word of -x for it */
	bool is_preprocessed;
	bool is_fortran;
} sources[] = {
	{".c", ".i", "cpp-output", false},
	{".i", ".i", "cpp-output", true},
	{"c", ".i", "cpp-output", false},
	{"cpp-output", ".i", "cpp-output", true},
	{".cc", ".ii", "c++-cpp-output", false},
	{".cp", ".ii", "c++-cpp-output", false},
	{".cxx", ".ii", "c++-cpp-output", false},
	{".cpp", ".ii", "c++-cpp-output", false},
	{".c++", ".ii", "c++-cpp-output", false},
	{".C", ".ii", "c++-cpp-output", false},
	{".CPP", ".ii", "c++-cpp-output", false},
	{".ii", ".ii", "c++-cpp-output", true},
	{"c++", ".ii", "c++-cpp-output", false},
	{"c++-cpp-output", ".ii", "c++-cpp-output", true},
#define FORTRAN(lower, upper, as, language)      \
	{lower, as, language, true, true},       \
	{                                        \
		upper, as, language, false, true \
	}
	FORTRAN(".f", ".F", ".f", "f77"),
	FORTRAN(".for", ".FOR", ".f", "f77"),
	FORTRAN(".ftn", ".FTN", ".f", "f77"),
	FORTRAN(".f90", ".F90", ".f90", "f95"),
	FORTRAN(".f95", ".F95", ".f90", "f95"),
	FORTRAN(".f03", ".F03", ".f90", "f95"),
	FORTRAN(".f08", ".F08", ".f90", "f95"),
	FORTRAN("f77", "f77-cpp-input", ".f", "f77"),
	FORTRAN("f95", "f95-cpp-input", ".f90", "f95"),
#undef FORTRAN
};

/* [language] Returns the language of a word; NULL: it is no source, or of another language. */
static const struct source *source_of(const struct steps *s, const char *word)
{
	const char *name = s->language ? s->language : strrchr(word, '.');
	bool is_input = strcmp(word, "-") == 0;
	if (!name || (word[0] == '-' && !is_input))
		return NULL;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(name, sources[i].name) == 0)
			return is_input && sources[i].is_preprocessed ? NULL : &sources[i];
	return NULL;
}

static bool starts(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

/* Returns the value of an option, joined to it or in the next word; NULL: the word is another
 * option. */
static const char *value_of(const struct cc_words *w, size_t i, const char *option)
{
	size_t n = strlen(option);
	if (!starts(w->at[i], option))
		return NULL;
	return w->at[i][n] ? w->at[i] + n : i + 1 < w->n ? w->at[i + 1] : "";
}

static bool is_make_word(const char *word)
{
	return starts(word, "-M") || starts(word, "-Wp,-M");
}

static void fortran_word_look(struct steps *s, const char *word)
{
	static const char columns[] = "-ffixed-line-length-";
	s->is_cpp |= strcmp(word, "-cpp") == 0;
	s->is_fixed |= strcmp(word, "-ffixed-form") == 0;
	s->is_free |= strcmp(word, "-ffree-form") == 0;
	if (starts(word, columns)) { /* 0 and none: no limit */
		s->columns = strtoul(word + strlen(columns), NULL, 10);
		s->columns = s->columns ? s->columns : SIZE_MAX;
	}
}

static void words_look(struct steps *s, bool *ret_is_plain)
{
	*ret_is_plain = false;
	for (size_t i = 1; i < s->w->n; i++) {
		const char *word = s->w->at[i], *value;
		if (strcmp(word, "-E") == 0 || strcmp(word, "-M") == 0 || strcmp(word, "-MM") == 0)
			*ret_is_plain = true;
		if ((value = value_of(s->w, i, "-o")))
			s->output = value;
		if ((value = value_of(s->w, i, "-MF")))
			s->make_file = value;
		s->is_compiling |= strcmp(word, "-c") == 0;
		s->has_errors |= starts(word, "-Werror");
		s->has_target |= starts(word, "-MT") || starts(word, "-MQ");
		s->has_inner_make |= s->compiler == CC_CLANG && starts(word, "-Wp,-M");
		s->has_make |= strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0;
		fortran_word_look(s, word);
		if (s->takes_value(word))
			i++;
	}
}

/* Returns the file name with another suffix, and without its folder unless keeps_folder. */
static const char *renamed(const char *name, const char *suffix, bool keeps_folder)
{
	const char *base = keeps_folder ? name : basename(name), *dot = strrchr(base, '.');
	size_t n = dot && !strchr(dot, '/') ? (size_t)(dot - base) : strlen(base);
	char *s = snag_alloc(n + strlen(suffix) + 1);
	memcpy(s, base, n);
	strcpy(s + n, suffix);
	return cc_word_kept(s);
}

/* [depend] Adds the names that the compiler would choose by itself. */
static void make_words(const struct steps *s, struct cc_words *to, const char *source)
{
	const char *object = s->output ? s->output : renamed(source, ".o", false);
	if (s->has_make && !s->make_file) {
		cc_word_add(to, "-MF");
		cc_word_add(to, s->output ? renamed(s->output, ".d", true)
					  : renamed(source, ".d", false));
	}
	if ((s->has_make || s->has_inner_make) && !s->has_target && s->is_compiling) {
		cc_word_add(to, "-MT");
		cc_word_add(to, object);
	}
}

static bool is_of_first_step(const char *word)
{
	static const char *const not_whole[] = {"-c", "-S", "-fdirectives-only", "-C", "-CC", "-P"};
	static const char *const not_begin[] = {"-o", "-x", "-l", "-L", "-Wl,"};
	for (size_t i = 0; i < sizeof(not_whole) / sizeof(not_whole[0]); i++)
		if (strcmp(word, not_whole[i]) == 0)
			return false;
	for (size_t i = 0; i < sizeof(not_begin) / sizeof(not_begin[0]); i++)
		if (starts(word, not_begin[i]))
			return false;
	return word[0] == '-' && word[1];
}

/* Copies the user's words for one source to a command of its own. */
static struct cc_words words_of(const struct steps *s, const char *source, bool has_make)
{
	struct cc_words w = {0};
	for (size_t i = 0; i < s->w->n; i++) {
		const char *word = s->w->at[i];
		bool has_value = s->takes_value(word) && i + 1 < s->w->n;
		bool is_kept =
			i == 0 || (is_of_first_step(word) && (has_make || !is_make_word(word)));
		if (is_kept)
			cc_word_add(&w, word);
		if (has_value && is_kept)
			cc_word_add(&w, s->w->at[i + 1]);
		i += has_value;
	}
	if (s->language) {
		cc_word_add(&w, "-x");
		cc_word_add(&w, s->language);
	}
	cc_word_add(&w, source);
	return w;
}

/* [errors] */
static int source_check(const struct steps *s, const char *source, struct snag_error *err)
{
	if (!s->has_errors || strcmp(source, "-") == 0)
		return 0;
	struct cc_words w = words_of(s, source, false);
	cc_word_add(&w, "-fsyntax-only");
	if (s->compiler == CC_CLANG)
		cc_word_add(&w, "-Qunused-arguments");
	int rc = cc_words_run(&w, err);
	free(w.at);
	return rc;
}

static int step_one(const struct steps *s, const char *source, const char *to,
		    struct snag_error *err)
{
	struct cc_words w = words_of(s, source, true);
	make_words(s, &w, source);
	cc_word_add(&w, "-E");
	cc_word_add(&w, "-o");
	cc_word_add(&w, to);
	if (s->has_errors)
		cc_word_add(&w, "-w");
	int rc = cc_words_run(&w, err);
	free(w.at);
	return rc;
}

static int file_read(const char *path, struct cc_text *t, struct snag_error *err)
{
	FILE *f = fopen(path, "r");
	char part[65536];
	size_t n;
	if (!f)
		return snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno));
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		cc_text_add(t, part, n);
	bool is_bad = ferror(f);
	fclose(f);
	return is_bad ? snag_fail(err, SNAG_EIO, "%s: cannot be read", path) : 0;
}

static int file_write(const char *to, const struct cc_text *t, struct snag_error *err)
{
	FILE *f = fopen(to, "w");
	if (!f)
		return snag_fail(err, SNAG_EIO, "%s: %s", to, strerror(errno));
	bool is_bad = t->n && fwrite(t->at, 1, t->n, f) != t->n;
	is_bad |= fclose(f) != 0;
	return is_bad ? snag_fail(err, SNAG_EIO, "%s: cannot be written", to) : 0;
}

static int fortran_rewrite(const struct steps *s, const struct source *is, const char *source,
			   const char *from, const char *to, struct snag_error *err)
{
	struct cc_text text = {0}, done = {0};
	struct cc_fortran f = {.columns = s->columns,
			       .is_fixed = s->is_fixed ||
					   (!s->is_free && strcmp(is->suffix, ".f") == 0)};
	int rc = file_read(from, &text, err);
	cc_text_add(&text, "", 1); /* so that a number at the end of the text has an end */
	if (rc == 0) {
		text.n--;
		cc_fortran_rewrite(&done, (struct cc_span){text.at, text.at + text.n}, source, &f);
		rc = file_write(to, &done, err);
	}
	free(text.at);
	free(done.at);
	return rc;
}

static int file_rewrite(const struct steps *s, const char *from, const char *to, bool is_cxx,
			struct snag_error *err)
{
	struct cc_text text = {0}, marked = {0};
	int rc = file_read(from, &text, err);
	FILE *f = rc == 0 ? fopen(to, "w") : NULL;
	if (rc == 0 && !f)
		rc = snag_fail(err, SNAG_EIO, "%s: %s", to, strerror(errno));
	if (rc == 0) {
		const char *none = "";
		cc_updates_mark(&marked,
				text.at ? (struct cc_span){text.at, text.at + text.n}
					: (struct cc_span){none, none},
				is_cxx);
		size_t n = marked.n;
		char *done = s->has_openmp ? cc_openmp_rewrite(marked.at ? marked.at : none,
							       marked.n, s->compiler, &n)
					   : NULL;
		bool is_bad = fwrite(done ? done : marked.at ? marked.at : none, 1, n, f) != n;
		is_bad |= fclose(f) != 0;
		free(done);
		free(marked.at);
		if (is_bad)
			rc = snag_fail(err, SNAG_EIO, "%s: cannot be written", to);
	}
	free(text.at);
	return rc;
}

/* Preprocesses and rewrites one source, and returns the compiler's status; *ret_made is the file
 * of the rewritten text. */
static int source_rewrite(struct steps *s, const struct source *is, const char *source,
			  const char **ret_made, struct snag_error *err)
{
	char number[24];
	snprintf(number, sizeof(number), "/%zu", s->made.n); /* two sources may have one name */
	const char *folder = cc_words_joined(s->folder, number);
	const char *name = renamed(source, is->suffix, false);
	*ret_made = cc_words_joined(cc_words_joined(folder, "/"), name);
	if (mkdir(folder, 0700) != 0)
		return snag_fail(err, SNAG_EIO, "%s: %s", folder, strerror(errno));
	cc_word_add(&s->folders, folder);
	cc_word_add(&s->made, *ret_made);
	bool is_preprocessed = is->is_preprocessed && !(is->is_fortran && s->is_cpp);
	int rc = source_check(s, source, err);
	if (rc == 0 && !is_preprocessed)
		rc = step_one(s, source, *ret_made, err);
	const char *from = is_preprocessed ? source : *ret_made;
	s->has_fortran |= is->is_fortran;
	if (rc == 0 && is->is_fortran)
		return fortran_rewrite(s, is, source, from, *ret_made, err);
	return rc == 0 ? file_rewrite(s, from, *ret_made, strcmp(is->suffix, ".ii") == 0, err) : rc;
}

/* Reads -x, which holds for the words that follow. */
static void language_read(struct steps *s, size_t i)
{
	const char *language = value_of(s->w, i, "-x");
	if (language)
		s->language = strcmp(language, "none") == 0 ? NULL : language;
}

/* Adds a rewritten source between -x for its language and -x for what follows. */
static void source_add(const struct steps *s, struct cc_words *w, const struct source *is,
		       const char *made)
{
	if (s->language) {
		cc_word_add(w, "-x");
		cc_word_add(w, is->language);
	}
	cc_word_add(w, made);
	if (s->language) {
		cc_word_add(w, "-x");
		cc_word_add(w, s->language);
	}
}

/* [fortran] Compiles the module into the folder. */
static int module_make(struct steps *s, const char *name, struct snag_error *err)
{
	struct cc_words w = {0};
	struct cc_text text = {0};
	cc_text_words(&text, cc_fortran_module);
	int rc = file_write(name, &text, err);
	static const char *const words[] = {"-fopenmp", "-fsyntax-only", "-w", "-J"};
	cc_word_add(&w, s->w->at[0]);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		cc_word_add(&w, words[i]);
	cc_word_add(&w, s->folder);
	cc_word_add(&w, name);
	if (rc == 0)
		rc = cc_words_run(&w, err);
	free(w.at);
	free(text.at);
	return rc;
}

/* [fortran] Keeps the compiler's messages until it is known whether they are about the user's
 * text. */
static int fortran_compile(struct steps *s, struct cc_words *w, struct snag_error *err)
{
	const char *module = cc_words_joined(s->folder, "/snag_omp.f90");
	const char *made = cc_words_joined(s->folder, "/snag_omp.mod");
	const char *said = cc_words_joined(s->folder, "/said");
	struct cc_text text = {0};
	int rc = module_make(s, module, err);
	cc_word_add(w, "-I");
	cc_word_add(w, s->folder);
	cc_word_add(w, "-ffree-line-length-none"); /* the rewriter makes directives longer */
	if (rc == 0)
		rc = cc_words_run_into(w, said, err);
	if (rc == 0 && file_read(said, &text, err) == 0 && text.n)
		fwrite(text.at, 1, text.n, stderr);
	else if (rc > 0)
		rc = cc_words_run(s->w, err);
	free(text.at);
	unlink(said);
	unlink(module);
	unlink(made);
	return rc;
}

/* Include lines name files beside the source. gfortran ignores marks in the names it gives to
 * debuggers, so an option names the source. */
static void fortran_words(struct cc_words *w, const char *source, const char *made)
{
	const char *slash = strrchr(source, '/');
	char *folder = slash ? strndup(source, (size_t)(slash - source) + 1) : NULL;
	cc_word_add(w, cc_words_joined("-I", folder ? folder : "."));
	free(folder);
	cc_word_add(w, cc_words_joined("-fdebug-prefix-map=",
				       cc_words_joined(cc_words_joined(made, "="), source)));
}

static int step_two(struct steps *s, struct snag_error *err)
{
	struct cc_words w = {0};
	int rc = 0;
	for (size_t i = 0; i < s->w->n && rc == 0; i++) {
		const char *word = s->w->at[i], *made;
		bool has_value = s->takes_value(word) && i + 1 < s->w->n;
		const struct source *is = i ? source_of(s, word) : NULL;
		language_read(s, i);
		if (is) {
			rc = source_rewrite(s, is, word, &made, err);
			source_add(s, &w, is, made);
			if (is->is_fortran)
				fortran_words(&w, word, made);
		} else if (!is_make_word(word)) {
			cc_word_add(&w, word);
			if (has_value)
				cc_word_add(&w, s->w->at[i + 1]);
		}
		i += has_value;
	}
	if (s->has_errors)
		cc_word_add(&w, "-w");
	/* No warnings about -U in the second step, or about a simd loop that clang cannot
	 * vectorise: the rewriter causes them. */
	if (s->compiler == CC_CLANG) {
		cc_word_add(&w, "-Qunused-arguments");
		cc_word_add(&w, "-Wno-pass-failed");
	}
	if (rc == 0)
		rc = s->has_fortran ? fortran_compile(s, &w, err) : cc_words_run(&w, err);
	free(w.at);
	return rc;
}

int cc_two_steps(const struct cc_words *w, cc_takes_value *takes_value, enum cc_compiler is,
		 bool has_openmp, struct snag_error *err)
{
	struct steps s = {.w = w,
			  .takes_value = takes_value,
			  .compiler = is,
			  .has_openmp = has_openmp,
			  .columns = FIXED_COLUMNS};
	bool is_plain;
	words_look(&s, &is_plain);
	if (is_plain)
		return cc_words_run(w, err);
	int rc = snag_temporary_make(s.folder, err);
	if (rc == 0)
		rc = step_two(&s, err);
	for (size_t i = 0; i < s.folders.n; i++) {
		unlink(s.made.at[i]);
		rmdir(s.folders.at[i]);
	}
	snag_temporary_remove(s.folder);
	free(s.made.at);
	free(s.folders.at);
	return rc;
}
