/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_cc.c - `snag cc`, `snag c++`, `snag fc`: the compiler, with snag's instrumentation
 *
 * The real compiler (SNAG_CC, SNAG_CXX, SNAG_FC; else gcc, g++, gfortran) gets all arguments, the
 * flags that instrument, and, where it links an executable, the runtime in place of libtsan.
 * src/runtime/rt.h says what that is.  A word that only asks the compiler something
 * (--version, -print-...) changes nothing.  With -fno-sanitize=thread, as with ThreadSanitizer, the
 * result is not instrumented and gets no runtime.  With -fopenmp and -fsnag-task sources are
 * compiled in two steps (two_steps.h): the runtime of OpenMP has to see every iteration of loops,
 * and updates that commute are marked.
 */
#include "base/memory.h"
#include "cc/cc_pass.h"
#include "cli/command.h"
#include "cli/folder.h"
#include "cc/link_words.h"
#include "cc/response.h"
#include "cc/two_steps.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool starts(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

/* The kind of work that the arguments ask for. */
struct request {
	bool has_inputs;
	bool links;	   /* at least one step is the linker's */
	bool is_shared;	   /* the result is a shared library */
	bool is_partial;   /* -r: the result is an object */
	bool has_branches; /* the user wants a record of branches */
	bool has_tasks;	   /* -fsnag-task: <snag/task.h> and its library */
	bool has_openmp;   /* -fopenmp: snag's runtime instead of the compiler's */
	bool is_fortran;   /* snag fc */
	struct cc_pass pass;
	const char *fixed;  /* -static, -static-pie: the word; NULL: neither */
	bool has_fixed_cxx; /* -static-libstdc++ */
	bool is_plain;	    /* -fno-sanitize=thread: the real compiler alone */
	/* A -fsanitize= that cannot be combined with that of threads; NULL: none. */
	const char *other;
};

/* Returns whether the value of an option is the next word. */
static bool takes_value(const char *word)
{
	static const char *const with_value[] = {
		"-o",	    "-x",	 "-I",	      "-L",	     "-D",
		"-U",	    "-l",	 "-MF",	      "-MT",	     "-MQ",
		"-include", "-imacros",	 "-isystem",  "-idirafter",  "-iquote",
		"-iprefix", "-isysroot", "-Xlinker",  "-Xassembler", "-Xpreprocessor",
		"-Xclang",  "-T",	 "-u",	      "-z",	     "-e",
		"-target",  "--param",	 "-aux-info", "-arch",	     "-B",
		"-mllvm",   "-J"};
	for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++)
		if (strcmp(word, with_value[i]) == 0)
			return true;
	return false;
}

/* Returns whether a word such as -fsanitize=a,b names this sanitizer. */
static bool names_sanitizer(const char *word, const char *option, const char *name)
{
	if (!starts(word, option))
		return false;
	for (const char *at = word + strlen(option) - 1; at; at = strchr(at, ',')) {
		const size_t n = strcspn(++at, ",");
		if (n == strlen(name) && strncmp(at, name, n) == 0)
			return true;
	}
	return false;
}

/* Returns whether a word asks for instrumentation that no compiler combines with that of
 * threads. */
static bool is_other_sanitizer(const char *word)
{
	static const char *const others[] = {"address",	  "leak",	    "memory",
					     "hwaddress", "kernel-address", "kernel-hwaddress",
					     "dataflow"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (names_sanitizer(word, "-fsanitize=", others[i]))
			return true;
	return false;
}

/* An option of snag, which the compiler does not get. */
static const char branches_word[] = "-fsnag-branches";
static const char tasks_word[] = "-fsnag-task";

static struct request request_read(char *const *word)
{
	static const char *const no_link[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
	struct request q = {.links = true};
	for (; *word; word++) {
		for (size_t i = 0; i < sizeof(no_link) / sizeof(no_link[0]); i++)
			if (strcmp(*word, no_link[i]) == 0)
				q.links = false;
		if (strcmp(*word, "-shared") == 0)
			q.is_shared = true;
		if (strcmp(*word, "-static") == 0 || strcmp(*word, "-static-pie") == 0)
			q.fixed = *word;
		if (strcmp(*word, "-static-libstdc++") == 0)
			q.has_fixed_cxx = true;
		if (is_other_sanitizer(*word))
			q.other = *word;
		if (starts(*word, "-fno-sanitize="))
			q.other = NULL;
		if (names_sanitizer(*word, "-fno-sanitize=", "thread") ||
		    names_sanitizer(*word, "-fno-sanitize=", "all"))
			q.is_plain = true;
		if (names_sanitizer(*word, "-fsanitize=", "thread"))
			q.is_plain = false;
		if (strcmp(*word, "-r") == 0)
			q.is_partial = true;
		if (strcmp(*word, branches_word) == 0)
			q.has_branches = true;
		if (strcmp(*word, tasks_word) == 0)
			q.has_tasks = true;
		cc_pass_takes(&q.pass, *word);
		if (strcmp(*word, "-fopenmp") == 0 || starts(*word, "-fopenmp="))
			q.has_openmp = true;
		if (strcmp(*word, "-fno-openmp") == 0)
			q.has_openmp = false;
		if ((*word)[0] != '-' || !(*word)[1] || starts(*word, "-l"))
			q.has_inputs = true;
		if (takes_value(*word) && word[1])
			word++;
	}
	return q;
}

/* The name without the folder says which compiler it is. */
static bool is_clang(const char *compiler)
{
	return strstr(basename(compiler), "clang") != NULL;
}

/* Makes loops in which threads spin visible: volatile reads get their own calls, and `pause`
 * becomes a call (runtime/sched/spin.h). The assembler reads pause.s first; _mm_pause() becomes
 * inline assembly, which the assembler sees. */
static void spin_flags(struct cc_words *w, const struct request *q, bool clang, int version,
		       const char *folder)
{
	enum { GCC_KNOWS_VOLATILE = 11 };
	if (clang) {
		cc_word_add(w, "-mllvm");
		cc_word_add(w, "-tsan-distinguish-volatile");
		return;
	}
	if (version >= GCC_KNOWS_VOLATILE)
		cc_word_add(w, "--param=tsan-distinguish-volatile=1");
	cc_word_add(w, "-Xassembler");
	cc_word_add(w, cc_words_joined(folder, "/pause.s"));
	/* Fortran has no such function, and no asm statement for the names (own.s). */
	if (q->is_fortran) {
		enum { GCC_KNOWS_MASKED = 12 };
		if (q->has_openmp && version >= GCC_KNOWS_MASKED) {
			cc_word_add(w, "-Xassembler");
			cc_word_add(w, cc_words_joined(folder, "/own.s"));
		}
		return;
	}
	cc_word_add(w, "-D__builtin_ia32_pause()="
		       "__extension__({__asm__ __volatile__(\"pause\":::\"memory\");})");
}

static void compile_flags(struct cc_words *w, const struct request *q, bool clang)
{
	static const char *const both[] = {
		"-fsanitize=thread",   "-fno-builtin-memcmp", /* inline, snag would not see them */
		"-fno-builtin-strcpy", "-fno-builtin-stpcpy", "-fno-builtin-strncpy",
		"-fno-builtin-strcat", "-fno-builtin-strcmp", "-fno-builtin-strncmp",
		"-U_FORTIFY_SOURCE", /* __memcpy_chk and the like */
		"-D_FORTIFY_SOURCE=0",
	};
	static const char *const without_pass[] = {
		"-fno-builtin-memcpy", /* the same; the plugin observes them even if expanded */
		"-fno-builtin-memmove",
		"-fno-builtin-memset",
	};
	if (q->is_fortran) /* gfortran has none of the other options */
		cc_word_add(w, both[0]);
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]) && !q->is_fortran; i++)
		cc_word_add(w, both[i]);
	if (q->pass.plugin) {
		cc_pass_flags(&q->pass, q->has_tasks, q->has_branches, w);
		return;
	}
	if (q->has_tasks || q->has_openmp)
		cc_word_add(w, "-frecord-gcc-switches"); /* verdicts say if it was optimised */
	for (size_t i = 0; i < sizeof(without_pass) / sizeof(without_pass[0]) && !q->is_fortran;
	     i++)
		cc_word_add(w, without_pass[i]);
	if (!clang) {
		cc_word_add(w, "-Wno-tsan"); /* fences are understood */
		/* gcc takes the fences that it has instrumented for functions that change no static
		 * variable: a loop that waits for one with a flush would read it once. */
		cc_word_add(w, "-fno-ipa-reference");
	}
	if (q->has_branches)
		cc_word_add(w, clang ? "-fsanitize-coverage=trace-pc-guard,no-prune"
				     : "-fsanitize-coverage=trace-pc");
}

static void link_flags(struct cc_words *w, const struct request *q, bool clang, const char *folder)
{
	if (clang) {
		cc_word_add(w, "-fno-sanitize-link-runtime");
		if (!q->is_shared)
			cc_word_add(w, cc_words_joined("-Wl,",
						       cc_words_joined(folder, "/libsnag_rt.a")));
	} else {
		const char *part = cc_words_joined(folder, q->is_shared ? "/shared" : "/exe");
		cc_word_add(w, cc_words_joined(cc_words_joined("-B", part), "/"));
		cc_word_add(w, cc_words_joined("-L", part));
	}
	cc_word_add(w, cc_words_joined("-Wl,", cc_words_joined(folder, "/libsnag_hooks.a")));
	/* Names the folder where -lomp and -lgomp find snag's library, whether -fopenmp asks for
	 * them or the user. */
	cc_word_add(w, cc_words_joined("-L", cc_words_joined(folder, "/omp")));
	if (!q->is_shared) {
		cc_word_add(w, cc_words_joined("-Wl,", cc_words_joined(folder, "/tool.o")));
		cc_word_add(w, "-Wl,-u,__tsan_init");
		if (q->has_fixed_cxx) /* interpose/new.c calls these */
			cc_word_add(w, "-Wl,-u,_ZSt17__throw_bad_allocv,-u,_ZSt15get_new_handlerv");
		/* Shared libraries use these. */
		cc_word_add(w, "-Wl,--export-dynamic-symbol=__tsan_*");
		cc_word_add(w, "-Wl,--export-dynamic-symbol=__snag_*");
	}
}

/* The library is the archive that came with this tool. */
static void task_flags(struct cc_words *w, const struct request *q, const char *folder)
{
	cc_word_add(w, cc_words_joined("-I", cc_words_joined(folder, "/include")));
	if (!q->links || q->is_partial)
		return;
	cc_word_add(w, cc_words_joined("-L", folder));
	cc_word_add(w, "-lsnag_task");
	cc_word_add(w, "-pthread");
}

/* Runs the compiler with the words of the request, without those that only snag knows. */
static int plain_compile(const char *compiler, char *const *word, struct snag_error *err)
{
	struct cc_words w = {0};
	cc_word_add(&w, compiler);
	for (; *word; word++)
		if (strcmp(*word, branches_word) != 0 && strcmp(*word, tasks_word) != 0 &&
		    !cc_pass_takes(NULL, *word))
			cc_word_add(&w, *word);
	execvp(w.at[0], (char *const *)w.at);
	free(w.at);
	return snag_fail(err, SNAG_EIO, "%s: %s", compiler, strerror(errno));
}

/* Runs the compiler with the words of the request and those that snag adds. */
static int request_compile(struct request *q, const char *compiler, char *const *word,
			   struct snag_error *err)
{
	struct cc_words w = {0};
	char folder[PATH_MAX];
	bool clang = is_clang(compiler);
	if (q->is_plain)
		return plain_compile(compiler, word, err);
	int rc = cli_runtime_folder(folder, sizeof(folder), err);
	if (rc < 0)
		return rc;
	if (q->fixed && q->links && q->has_inputs && !q->is_partial)
		return snag_fail(err, SNAG_EINPUT,
				 "%s: the runtime stands in front of the C library, which must be "
				 "a shared one",
				 q->fixed);
	if (q->other && q->has_inputs)
		return snag_fail(err, SNAG_EINPUT,
				 "%s: snag instruments as for ThreadSanitizer, which no compiler "
				 "combines with this; build a second time without snag for it",
				 q->other);
	if (clang && q->has_inputs && !q->is_partial)
		cc_pass_find(&q->pass, compiler, folder);
	cc_word_add(&w, compiler);
	for (const char *kept; *word; word++)
		if (strcmp(*word, branches_word) != 0 && strcmp(*word, tasks_word) != 0 &&
		    (clang || strcmp(*word, "-pipe") != 0) && /* the assembler reads two files */
		    !cc_pass_takes(NULL, *word) && (kept = cc_link_word(*word, q->is_shared)))
			cc_word_add(&w, kept);
	if (q->has_tasks && q->has_inputs)
		task_flags(&w, q, folder);
	if (q->has_inputs && !q->is_partial) {
		compile_flags(&w, q, clang);
		if (!q->pass.plugin && !q->has_tasks)
			spin_flags(&w, q, clang, clang ? 0 : cc_version(compiler), folder);
		if (q->links)
			link_flags(&w, q, clang, folder);
	}
	if ((q->has_openmp || q->has_tasks) && q->has_inputs && !q->is_partial) {
		enum cc_compiler is = clang			  ? CC_CLANG
				      : cc_version(compiler) < 12 ? CC_GCC_OLD
								  : CC_GCC;
		rc = cc_two_steps(&w, takes_value, is, q->has_openmp, err);
		free(w.at);
		return rc;
	}
	execvp(w.at[0], (char *const *)w.at);
	rc = snag_fail(err, SNAG_EIO, "%s: %s", compiler, strerror(errno));
	free(w.at);
	return rc;
}

/* The real compiler: the one that the variable names, or the usual one. */
struct compiler {
	const char *variable, *usual;
	bool is_fortran;
};

static int words_compile(const struct compiler *c, char *const *word, struct snag_error *err)
{
	const char *compiler = getenv(c->variable);
	struct request q = request_read(word);
	q.is_fortran = c->is_fortran;
	int rc = request_compile(&q, compiler && *compiler ? compiler : c->usual, word, err);
	free(q.pass.no.at);
	return rc;
}

static int compile(const struct compiler *c, char *const *word, struct snag_error *err)
{
	struct cc_words w = {0};
	int rc = cc_response_expand(word, &w, err);
	if (rc == 0)
		rc = words_compile(c, w.n ? (char *const *)w.at : word, err);
	free(w.at);
	return rc;
}

static int cc_run(const void *values, char *const *operand, struct snag_error *err)
{
	return compile(&(struct compiler){"SNAG_CC", "gcc", false}, operand, err);
}

static int cxx_run(const void *values, char *const *operand, struct snag_error *err)
{
	const char *cc = getenv("SNAG_CC");
	bool clang = cc && is_clang(cc);
	return compile(&(struct compiler){"SNAG_CXX", clang ? "clang++" : "g++", false}, operand,
		       err);
}

static int fc_run(const void *values, char *const *operand, struct snag_error *err)
{
	return compile(&(struct compiler){"SNAG_FC", "gfortran", true}, operand, err);
}

#define ABOUT                                                                                     \
	"A drop-in for the compiler: CC=\"snag cc\" ./configure works.  SNAG_CC (gcc or clang)\n" \
	"chooses the real one; for C++ it is SNAG_CXX, or the partner of SNAG_CC.  The result\n"  \
	"runs as usual; 'snag run' reports its races.\n"

/* All words are for the compiler. */
#define COMPILER_OPERANDS                                                        \
	.operands = "ARGS...", .max_operands = CLI_ALL_OPERANDS, .is_raw = true, \
	.offer = CLI_OFFER_FILES, .values_size = 1

const struct cli_command cli_command_cc = {
	.name = "cc",
	.summary = "compile and link C for snag; a drop-in for cc",
	COMPILER_OPERANDS,
	.about = ABOUT,
	.run = cc_run,
};

const struct cli_command cli_command_cxx = {
	.name = "c++",
	.summary = "compile and link C++ for snag; a drop-in for c++",
	COMPILER_OPERANDS,
	.about = ABOUT,
	.run = cxx_run,
};

const struct cli_command cli_command_fc = {
	.name = "fc",
	.summary = "compile and link Fortran for snag; a drop-in for gfortran",
	COMPILER_OPERANDS,
	.about = "A drop-in for the compiler: FC=\"snag fc\" ./configure works.  SNAG_FC chooses "
		 "the real\n"
		 "one, gfortran or another version of it.  With -fopenmp, 'snag run' judges the "
		 "program\n"
		 "for every schedule.\n",
	.run = fc_run,
};
