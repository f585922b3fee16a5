/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c - a program that runs many times from its first thread creation on
 */
#include "runtime/sched/server.h"

#include "runtime/channel/record.h"
#include "runtime/fail.h"
#include "runtime/interpose/real.h"
#include "runtime/options.h"
#include "runtime/sched/sched.h"
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 1024, MAPS = 1 << 20 };

static int64_t offset[FILES];	 /* [files] the offsets of open files; -1: the file needs none */
static bool is_inherited[FILES]; /* the file was open when the program started */

static long call(long number, long a, long b, long c)
{
	return rt_sys(number, a, b, c, 0, 0, 0);
}

static void tell(int to, enum rt_served_kind kind, uint32_t value)
{
	const struct rt_thread *self = rt_hot.self;
	const struct rt_served message = {
		.kind = kind,
		.value = value,
		.records = rt.written,
		.events = self->sched.events + (uint64_t)(self->sched.turn_fuel - rt_hot.fuel)};
	call(SYS_write, to, (long)&message, sizeof(message));
}

/* [refuse] */

static bool has_threads(void)
{
	char text[4096];
	long n = rt_sys_read_file("/proc/self/status", text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, "\nThreads:\t");
	return !at || at[10] != '1' || at[11] != '\n';
}

static bool has_children(void)
{
	siginfo_t info;
	return rt_sys(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) !=
	       -ECHILD;
}

void rt_server_start(void)
{
	for (int fd = 0; fd < FILES; fd++)
		is_inherited[fd] = call(SYS_fcntl, fd, F_GETFD, 0) >= 0;
}

/* Notes the offsets of open files. Returns false if the program has opened something else than a
 * file, directory or device. */
static bool files_note(int server)
{
	struct stat st;
	for (int fd = 0; fd < FILES; fd++) {
		offset[fd] = -1;
		if (fd == server || call(SYS_fstat, fd, (long)&st, 0) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			offset[fd] = call(SYS_lseek, fd, 0, SEEK_CUR);
		else if (!is_inherited[fd] && !S_ISDIR(st.st_mode) && !S_ISCHR(st.st_mode))
			return false;
	}
	return call(SYS_fstat, FILES, (long)&st, 0) <
	       0; /* the server does not look at further descriptors */
}

/* Returns whether a line of /proc/self/maps, "low-high rw-s ...", names memory that children
 * share, other than the channel. */
static bool is_shared_memory(const char *line)
{
	uintptr_t low = 0;
	for (; *line && *line != '-' && *line != '\n'; line++)
		low = low * 16 + (uintptr_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
	while (*line && *line != ' ' && *line != '\n')
		line++;
	return strncmp(line, " rw", 3) == 0 && line[4] == 's' && low != (uintptr_t)rt.channel;
}

static bool has_shared_memory(void)
{
	char *text = rt_sys_map(MAPS);
	long n = text ? rt_sys_read_file("/proc/self/maps", text, MAPS - 1) : -1;
	bool is_found = n <= 0 || n == MAPS - 1;
	for (const char *line = text; !is_found && line && *line; line = strstr(line, "\n")) {
		line += *line == '\n';
		is_found = is_shared_memory(line);
	}
	if (text)
		rt_sys_unmap(text, MAPS);
	return is_found;
}

static enum rt_refusal refusal(int server)
{
	return has_threads()	     ? RT_REFUSAL_THREADS
	       : has_children()	     ? RT_REFUSAL_CHILDREN
	       : !files_note(server) ? RT_REFUSAL_FILES
	       : has_shared_memory() ? RT_REFUSAL_MEMORY
				     : RT_REFUSALS;
}

static void files_set_back(void)
{
	for (int fd = 0; fd < FILES; fd++)
		if (offset[fd] >= 0)
			call(SYS_lseek, fd, offset[fd], SEEK_SET);
}

/* Called in the child. */
static void child_begin(struct rt_thread *self, int server, int parent, const char *options)
{
	call(SYS_close, server, 0, 0);
	call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0); /* [orphan] */
	if (call(SYS_getppid, 0, 0, 0) != parent)
		rt_sys_exit(1);
	call(SYS_setpgid, 0, 0, 0); /* [group] */
	self->kernel_tid = rt_sys_gettid();
	rt_options_add(options);
	rt_sched_again(self);
}

/* Forks one child and waits for it; true: in the child. */
static bool serve(struct rt_thread *self, int server, const char *options)
{
	siginfo_t info;
	int status, me = rt_sys_getpid();
	files_set_back();
	pid_t pid = rt_real._Fork(); /* runs no handlers */
	if (pid == 0) {
		child_begin(self, server, me, options);
		return true;
	}
	if (pid < 0) {
		tell(server, RT_SERVED_FAILED, (uint32_t)errno);
		return false;
	}
	tell(server, RT_SERVED_STARTED, (uint32_t)pid);
	while (rt_sys(SYS_waitid, P_PID, pid, (long)&info, WEXITED | WNOWAIT, 0, 0) == -EINTR)
		;
	status = info.si_code == CLD_EXITED
			 ? __W_EXITCODE(info.si_status, 0)
			 : info.si_status | (info.si_code == CLD_DUMPED) * __WCOREFLAG;
	tell(server, RT_SERVED_ENDED, (uint32_t)status);
	return false;
}

void rt_server_begin(struct rt_thread *self)
{
	char options[RT_SERVED_OPTIONS + 1];
	const int server = (int)rt_options.server, saved = errno;
	long n;
	rt_options.server = -1;
	enum rt_refusal why = refusal(server);
	if (why != RT_REFUSALS) {
		tell(server, RT_SERVED_REFUSED, why);
		call(SYS_close, server, 0, 0);
		return;
	}
	tell(server, RT_SERVED_READY, 0);
	while ((n = call(SYS_read, server, (long)options, RT_SERVED_OPTIONS)) > 0 || n == -EINTR) {
		if (n < 0)
			continue;
		while (call(SYS_wait4, -1, 0, WNOHANG) > 0) /* [zombie] */
			;
		options[n] = 0;
		if (serve(self, server, options)) {
			errno = saved;
			return;
		}
	}
	rt_sys_exit(0);
}

void rt_server_tasks(void)
{
	if (rt_likely(rt_options.server < 0))
		return;
	tell((int)rt_options.server, RT_SERVED_REFUSED, RT_REFUSAL_TASKS);
	rt_sys_exit(0);
}
