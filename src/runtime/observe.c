/* SPDX-License-Identifier: Apache-2.0
 *
 * observe.c - a program that observes itself: it starts the tool, and waits for its verdict
 *
 * Idea.   `snag run` starts the program as its child.  A program that is started in another way
 *         keeps its process, parent and standard descriptors; it starts the tool beside itself:
 *
 *           program ---fork---> child ---fork---> tool: snag observed FD,READY,PID -- PROG
 *              |                  ends               |
 *              |<-------- READY: its options --------+
 *           executes itself again, with SNAG_CHANNEL=FD:options
 *
 *         The tool is a grandchild, so that wait() of the program never sees it.  The program
 *         executes itself again so that its addresses are the same in every run, as they are
 *         under `snag run`.
 * Rules.  [secure]  a set-user-id program is not observed: the tool would run with its rights
 *         [end]     the last thing that the process does is to write its status to the channel
 *                   and to wait for the verdict.  The tool answers with the status to end with
 *         [child]   a child of fork does not wait: the channel is its parent's
 *         [forked]  until it creates a thread: then it starts a tool of its own (fork.c), and goes
 *                   on where it is.  Its races are not run again: that would need its parent.  The
 *                   tool gets the options of the parent's tool that hold for it, too
 *         [killed]  if the tool ends without an answer, the program says so and ends as it would
 */
#include "runtime/observe.h"

#include "runtime/channel/channel.h"
#include "runtime/fail.h"
#include "runtime/options.h"
#include "runtime/channel/record.h"
#include "runtime/channel/ring.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>

extern char **environ;
extern const char __snag_tool_path[] __attribute__((weak)); /* `snag cc` links it */

enum {
	LEAST_NS = 50000,
	MOST_NS = 2000000,
	TEXT = 4096,
	VARIABLE = 2 * TEXT,
	MOST_ARGUMENTS = 8 << 20, /* bytes */
	TOOL_WORDS =
		4 + RT_FORKED_MOST, /* room for the tool's words, before those of the program */
};

static long call(long number, long a, long b, long c)
{
	return rt_sys(number, a, b, c, 0, 0, 0);
}

/* The words of this process: its command line, from /proc. */
struct words {
	char *text;
	char **word;   /* room for those of the tool in front, and a NULL behind */
	size_t nbytes; /* the bytes of `word` */
};

static bool words_read(struct words *w)
{
	size_t n = 1, at = TOOL_WORDS;
	w->text = rt_sys_map(MOST_ARGUMENTS);
	long len = w->text ? rt_sys_read_file("/proc/self/cmdline", w->text, MOST_ARGUMENTS) : -1;
	if (len <= 0 || len == MOST_ARGUMENTS)
		return false;
	for (long i = 0; i < len; i++)
		n += !w->text[i];
	w->nbytes = (n + TOOL_WORDS + 1) * sizeof(*w->word);
	w->word = rt_sys_map(w->nbytes);
	if (!w->word)
		return false;
	for (long i = 0; i < len; i += (long)strlen(w->text + i) + 1)
		w->word[at++] = w->text + i;
	return true;
}

static void words_done(struct words *w)
{
	rt_sys_unmap(w->text, MOST_ARGUMENTS);
	rt_sys_unmap(w->word, w->nbytes);
}

/* Called in the grandchild: replaces it by the tool, from the place that the program was linked
 * with, or from PATH. Returns if there is no tool. */
static void tool_execute(char **word)
{
	char path[TEXT];
	if (&__snag_tool_path && __snag_tool_path[0])
		call(SYS_execve, (long)__snag_tool_path, (long)word, (long)environ);
	const char *folders = rt_options_variable("PATH");
	while (*folders) {
		size_t n = 0;
		while (folders[n] && folders[n] != ':')
			n++;
		if (n && n + sizeof("/snag") <= sizeof(path)) {
			memcpy(path, folders, n);
			memcpy(path + n, "/snag", sizeof("/snag"));
			call(SYS_execve, (long)path, (long)word, (long)environ);
		}
		folders += n + (folders[n] == ':');
	}
}

static long channel_make(void)
{
	const size_t nbytes = rt_channel_bytes;
	long fd = call(SYS_memfd_create, (long)"snag", 0, 0);
	if (fd >= 0 && call(SYS_ftruncate, fd, (long)nbytes, 0) < 0) {
		call(SYS_close, fd, 0, 0);
		return -1;
	}
	return fd;
}

/* Puts the words of the tool before those of the program; returns the first of them. */
static char **tool_words(struct words *w, char *attached, bool is_forked)
{
	static char tool[] = "snag", observed[] = "observed", end[] = "--";
	char **first = w->word + TOOL_WORDS, *word[TOOL_WORDS] = {tool, observed, attached};
	size_t n = 3;
	if (is_forked) { /* [forked] */
		char *at = rt.channel->forked_words;
		for (uint32_t i = 0; i < rt.channel->nforked_words; i++) {
			word[n++] = at;
			at += strlen(at) + 1;
		}
	}
	word[n++] = end;
	first -= n;
	memcpy(first, word, n * sizeof(*word));
	return first;
}

/* Starts the tool and reads its answer to the program, with a NUL after it. Returns how many
 * bytes these are; 0: the tool did not start. */
static size_t tool_start(struct words *w, const char *program, long channel, bool is_forked,
			 char ret[TEXT])
{
	const size_t room = TEXT;
	int ready[2];
	size_t n = 0;
	struct rt_line attached = {.n = 0};
	if (call(SYS_pipe2, (long)ready, O_CLOEXEC, 0) < 0)
		return 0;
	rt_line_number(&attached, (uint64_t)channel);
	rt_line_text(&attached, ",");
	rt_line_number(&attached, (uint64_t)ready[1]);
	rt_line_text(&attached, ",");
	rt_line_number(&attached, (uint64_t)rt_sys_getpid());
	if (is_forked)
		rt_line_text(&attached, ",forked");
	attached.text[attached.n] = 0;
	char **first = tool_words(w, attached.text, is_forked);
	char *name = w->word[TOOL_WORDS];
	w->word[TOOL_WORDS] = (char *)program;
	long child = call(SYS_fork, 0, 0, 0);
	if (child == 0) {
		if (call(SYS_fork, 0, 0, 0) == 0) {
			call(SYS_fcntl, ready[1], F_SETFD, 0);
			tool_execute(first);
		}
		rt_sys_exit(0);
	}
	w->word[TOOL_WORDS] = name;
	call(SYS_close, ready[1], 0, 0);
	if (child > 0)
		rt_sys(SYS_wait4, child, 0, 0, 0, 0, 0);
	for (long got; child > 0 && n < room - 1; n += (size_t)got)
		if ((got = call(SYS_read, ready[0], (long)(ret + n), (long)(room - 1 - n))) <= 0)
			break;
	ret[n] = 0;
	call(SYS_close, ready[0], 0, 0);
	return n;
}

/* The environment with the channel in it; NULL: no memory. */
static char **environment_with(char *channel)
{
	size_t n = 0;
	while (environ && environ[n])
		n++;
	char **all = rt_sys_map((n + 2) * sizeof(*all));
	if (!all)
		return NULL;
	memcpy(all, environ, n * sizeof(*all));
	all[n] = channel;
	return all;
}

static void addresses_fix(void)
{
	long now = call(SYS_personality, 0xffffffff, 0, 0);
	if (now >= 0)
		call(SYS_personality, now | ADDR_NO_RANDOMIZE, 0, 0);
}

/* Appends text, as rt_line does, for longer texts. */
static void append(char *to, size_t room, const char *text)
{
	size_t n = strlen(to), len = strlen(text);
	if (n + len < room)
		memcpy(to + n, text, len + 1);
}

static void not_observed(const char *what, const char *why)
{
	struct rt_line line = {.n = 0};
	rt_line_text(&line, "snag: this program is not observed: ");
	rt_line_text(&line, what);
	rt_line_text(&line, why);
	rt_line_text(&line, "; SNAG_OPTIONS=observe=0 runs it without");
	rt_line_print(&line);
}

/* Starts the tool beside this process, and puts the channel into `variable`. If the tool does
 * not start, returns false, and a line says why. */
static bool tool_attach(struct words *w, const char *program, bool is_forked, char *variable)
{
	static char options[TEXT];
	struct rt_line number = {.n = 0};
	long channel = program && words_read(w) ? channel_make() : -1;
	if (channel < 0) {
		not_observed("no descriptor or memory", " is left");
		return false;
	}
	if (!tool_start(w, program, channel, is_forked, options)) {
		not_observed(&__snag_tool_path ? __snag_tool_path : "snag", " did not start");
		call(SYS_close, channel, 0, 0);
		return false;
	}
	rt_line_number(&number, (uint64_t)channel);
	number.text[number.n] = variable[0] = 0;
	append(variable, VARIABLE, RT_CHANNEL_ENV "=");
	append(variable, VARIABLE, number.text);
	append(variable, VARIABLE, ":");
	append(variable, VARIABLE, options);
	return true;
}

void rt_observe_start(void)
{
	static char variable[VARIABLE];
	struct words w;
	const char *program = (const char *)getauxval(AT_EXECFN);
	if (!rt_options.observe || getauxval(AT_SECURE) || /* [secure] */
	    !tool_attach(&w, program, false, variable))
		return;
	char **environment = environment_with(variable);
	addresses_fix();
	if (environment) {
		call(SYS_execve, (long)program, (long)(w.word + TOOL_WORDS), (long)environment);
		call(SYS_execve, (long)"/proc/self/exe", (long)(w.word + TOOL_WORDS),
		     (long)environment);
	}
	rt_options_channel(variable + sizeof(RT_CHANNEL_ENV)); /* with the addresses it has */
}

/* [forked] The program may have changed its working directory, so its name may lead nowhere. */
bool rt_observe_forked(bool is_free)
{
	static char variable[VARIABLE], program[TEXT];
	struct words w;
	if (!rt_options.observe || getauxval(AT_SECURE) ||
	    call(SYS_readlink, (long)"/proc/self/exe", (long)program, TEXT - 1) <= 0 ||
	    !tool_attach(&w, program, true, variable))
		return false;
	rt_options_channel(variable + sizeof(RT_CHANNEL_ENV));
	rt_options.free = is_free;
	words_done(&w);
	return true;
}

static int ends_with = -1; /* the status of exit(); -1: not called yet */
static bool has_destroyed; /* the destructors of the program have run */

/* Waits for the verdict; returns the status to end with. */
static int verdict_wait(int status)
{
	struct rt_channel *c = rt.channel;
	long pause = LEAST_NS;
	/* [child] */
	if (!c || !c->is_attached || c->owner != (uint32_t)rt_sys_getpid() || c->finished)
		return status;
	rt_turn_off();
	/* pairs with the acquire of the tool: the records before are complete */
	__atomic_store_n(&c->finished, 1 + (uint32_t)(status & 0xff), __ATOMIC_RELEASE);
	for (;;) {
		uint32_t answer = __atomic_load_n(&c->answer, __ATOMIC_ACQUIRE);
		if (answer)
			return (int)answer - 1;
		if (pause == MOST_NS && !rt_record_reader_lives())
			break;
		rt_sys_sleep(pause);
		pause = pause * 2 < MOST_NS ? pause * 2 : MOST_NS;
	}
	if (__atomic_load_n(&c->answer, __ATOMIC_ACQUIRE))
		return (int)c->answer - 1;
	struct rt_line line = {.n = 0}; /* [killed] */
	rt_line_text(&line, "snag: the observer has ended without a verdict");
	rt_line_print(&line);
	return status;
}

static void finish(void)
{
	int status = verdict_wait(ends_with);
	if (status == ends_with)
		return;
	fflush(NULL);
	rt_sys_exit(status);
}

/* One of these two functions is the last of the program. Which one depends on what began first,
 * the runtime or the C library. */
static void on_exit_called(int status, void *unused)
{
	ends_with = status & 0xff;
	if (has_destroyed)
		finish();
}

__attribute__((destructor(101))) static void on_destroyed(void)
{
	has_destroyed = true;
	if (ends_with >= 0)
		finish();
}

void rt_observe_begin(void)
{
	static bool has_begun;
	if (rt.channel->is_attached && !has_begun)
		on_exit(on_exit_called, NULL);
	has_begun |= rt.channel->is_attached;
}

void rt_observe_exit(int status)
{
	rt_sys_exit(verdict_wait(status));
}

RT_EXPORT void _exit(int status)
{
	rt_observe_exit(status);
}

RT_EXPORT void _Exit(int status)
{
	rt_observe_exit(status);
}
