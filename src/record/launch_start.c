/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_start.c - starts a program with a channel, or attaches the tool to one that runs
 */
#include "record/launch_state.h"

#include "base/memory.h"
#include "runtime/channel/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *forked_words;
static uint32_t nforked_words;

void snag_launch_forked_words(const char *words, uint32_t n)
{
	forked_words = words;
	nforked_words = n;
}

static int channel_map(struct snag_launch *l, struct snag_error *err)
{
	void *at = mmap(NULL, rt_channel_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, l->fd, 0);
	if (at == MAP_FAILED)
		return snag_fail(err, SNAG_EIO, "no shared memory: %s", strerror(errno));
	l->channel = at;
	l->channel->magic = RT_CHANNEL_MAGIC;
	l->channel->records = RT_CHANNEL_RECORDS;
	l->channel->reader = (uint32_t)getpid();
	l->channel->nforked_words = nforked_words;
	if (nforked_words)
		memcpy(l->channel->forked_words, forked_words, RT_FORKED_WORDS);
	return 0;
}

static int channel_open(struct snag_launch *l, struct snag_error *err)
{
	l->fd = memfd_create("snag", 0); /* inherited by the program */
	if (l->fd < 0 || ftruncate(l->fd, (off_t)rt_channel_bytes) < 0)
		return snag_fail(err, SNAG_EIO, "no shared memory: %s", strerror(errno));
	return channel_map(l, err);
}

extern char **environ;

/* The environment of the program: that of the tool, with the variables that the runtime reads. */
struct environment {
	char **at; /* the variables */
	char *channel, *options;
};

static bool is_named(const char *variable, const char *name)
{
	size_t n = strlen(name);
	return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

/* In a silent run, the programs that the program starts are not observed. */
static char *options_silent(void)
{
	static const char name[] = "SNAG_OPTIONS", silent[] = "observe=0";
	const char *given = getenv(name);
	size_t room = sizeof(name) + (given ? strlen(given) : 0) + sizeof(silent) + 2;
	char *all = snag_alloc(room);
	snprintf(all, room, "%s=%s:%s", name, given ? given : "", silent);
	return all;
}

static void environment_make(struct environment *e, const struct snag_launch *l,
			     const char *options, enum snag_launch_io io)
{
	size_t count = 0, n = 0, room = sizeof(RT_CHANNEL_ENV) + strlen(options) + 16;
	while (environ && environ[count])
		count++;
	e->at = snag_calloc(count + 3, sizeof(*e->at));
	e->channel = snag_alloc(room);
	snprintf(e->channel, room, RT_CHANNEL_ENV "=%d:%s", l->fd, options);
	e->options = io == SNAG_LAUNCH_SHARES ? NULL : options_silent();
	for (size_t i = 0; i < count; i++)
		if (!is_named(environ[i], RT_CHANNEL_ENV) &&
		    !(e->options && is_named(environ[i], "SNAG_OPTIONS")))
			e->at[n++] = environ[i];
	e->at[n++] = e->channel;
	e->at[n] = e->options;
}

static void environment_done(struct environment *e)
{
	free(e->at);
	free(e->channel);
	free(e->options);
}

static off_t input_at = -1; /* where the standard input of the program began; -1: it is no file */

/* In the child: gives a program that runs again the standard input of its first run.  Returns false
 * if that input is not a file. */
static bool input_repeat(void)
{
	int fd = input_at < 0 ? -1 : open("/proc/self/fd/0", O_RDONLY);
	if (fd < 0 || lseek(fd, input_at, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0)
		return false;
	close(fd);
	return true;
}

/* In the child. */
static void files_give(const struct snag_launch_files *files)
{
	if (files->output >= 0)
		dup2(files->output, STDOUT_FILENO);
	if (files->error >= 0)
		dup2(files->error, STDERR_FILENO);
	for (int i = 0; i < 2; i++)
		if (files->inherited[i] >= 0)
			fcntl(files->inherited[i], F_SETFD, 0);
}

/* In the child, which has the memory of its parent until it calls execvpe(), and changes none of
 * it.  Reports a failure through the pipe. */
__attribute__((noreturn)) static void program_run(char *const *argv, char *const *environment,
						  enum snag_launch_io io,
						  const struct snag_launch_files *files,
						  const sigset_t *mask, int failed)
{
	int now = personality(0xffffffff);
	if (now != -1)
		personality((unsigned long)now | ADDR_NO_RANDOMIZE);
	int nothing = io == SNAG_LAUNCH_SHARES ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
	bool reads = io == SNAG_LAUNCH_READS || (nothing >= 0 && input_repeat());
	for (int fd = reads; nothing >= 0 && fd < 3; fd++)
		dup2(nothing, fd);
	if (files)
		files_give(files);
	snag_launch_signals_reset(mask);
	execvpe(argv[0], argv, environment);
	int why = errno;
	if (write(failed, &why, sizeof(why)) < 0)
		_exit(126);
	_exit(127);
}

/* Copying the page tables of a large analysis would take milliseconds, so the child shares them.
 * It is a function of its own: the child may change the variables of the one that calls vfork(). */
static __attribute__((noinline)) pid_t program_fork(char *const *argv, char *const *environment,
						    enum snag_launch_io io,
						    const struct snag_launch_files *files,
						    const sigset_t *mask, int failed)
{
	pid_t pid = vfork();
	if (pid == 0)
		program_run(argv, environment, io, files, mask, failed);
	return pid;
}

static int program_start(struct snag_launch *l, char *const *argv, const char *options,
			 enum snag_launch_io io, const struct snag_launch_files *files,
			 struct snag_error *err)
{
	struct environment environment;
	sigset_t mask;
	int failed[2], why = 0;
	if (pipe2(failed, O_CLOEXEC) < 0)
		return snag_fail(err, SNAG_EIO, "%s: %s", argv[0], strerror(errno));
	l->passes = io != SNAG_LAUNCH_OURS;
	if (io == SNAG_LAUNCH_SHARES)
		snag_launch_repeat_input();
	environment_make(&environment, l, options, io);
	snag_launch_signals_block(&mask); /* a signal that comes now waits, and is passed on */
	l->pid = program_fork(argv, environment.at, io, files, &mask, failed[1]);
	why = l->pid < 0 ? errno : 0;
	environment_done(&environment);
	if (l->pid > 0 && l->passes)
		snag_launch_signals_pass(l);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(failed[1]);
	while (l->pid > 0 && read(failed[0], &why, sizeof(why)) < 0 && errno == EINTR)
		;
	close(failed[0]);
	if (why && l->pid > 0) {
		if (l->passes)
			snag_launch_signals_keep(l);
		waitpid(l->pid, NULL, 0);
	}
	return why ? snag_fail(err, SNAG_EIO, "%s: %s", argv[0], strerror(why)) : 0;
}

void snag_launch_repeat_input(void)
{
	input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

int snag_launch_start(char *const *argv, const char *options, enum snag_launch_io io,
		      struct snag_launch **ret_launch, struct snag_error *err)
{
	return snag_launch_start_with(argv, options, io, NULL, ret_launch, err);
}

int snag_launch_start_with(char *const *argv, const char *options, enum snag_launch_io io,
			   const struct snag_launch_files *files, struct snag_launch **ret_launch,
			   struct snag_error *err)
{
	struct snag_launch *l = snag_launch_new();
	int rc = channel_open(l, err);
	if (rc == 0)
		rc = program_start(l, argv, options, io, files, err);
	if (rc < 0) {
		snag_launch_free(l);
		return rc;
	}
	*ret_launch = l;
	return 0;
}

int snag_launch_attach(struct snag_attached *to, const char *options,
		       struct snag_launch **ret_launch, struct snag_error *err)
{
	struct snag_launch *l = snag_launch_new();
	l->pid = to->pid;
	l->fd = to->channel;
	l->pidfd = (int)syscall(SYS_pidfd_open, to->pid, 0);
	int rc = l->pidfd < 0 ? snag_fail(err, SNAG_EIO, "process %d: %s", to->pid, strerror(errno))
			      : channel_map(l, err);
	if (rc == 0) {
		to->at = l->channel;
		l->channel->is_attached = 1;
		l->passes = true;
		snag_launch_signals_pass(l);
		size_t n = strlen(options);
		if (write(to->ready, options, n) != (ssize_t)n)
			rc = snag_fail(err, SNAG_EIO, "process %d has ended", to->pid);
	}
	close(to->ready);
	if (rc < 0)
		snag_launch_free(l);
	else
		*ret_launch = l;
	return rc;
}
