/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c - run a program with a channel, and read its records
 */
#include "record/launch.h"

#include "base/memory.h"
#include "record/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_NS = 100000, LONG_NS = 2000000, TAKEN_EVERY = 1024 };
enum { LOOK_MS = 10 };			 /* between tests of a program that is no child */
enum { MANY = RT_CHANNEL_RECORDS / 16 }; /* so many records are worth waking up for */

struct snag_launch {
	pid_t pid;
	int pidfd; /* of a program that is no child; -1: it is one */
	int fd;
	struct rt_channel *channel;
	uint64_t n;		  /* records of the channel that were read */
	struct rt_ring *rings;	  /* of threads that run in parallel; NULL: none do */
	struct snag_merge *merge; /* of them */
	uint64_t read;		  /* records, with those of rings */
	int status;		  /* of the program */
	bool has_ended;
	long pause_ns;		 /* the next wait for records */
	uint64_t waited;	 /* `read` at the last one */
	bool passes;		 /* signals on to the program */
	struct sigaction was[4]; /* what passed[] did here */
};

/* Signals that are also for the program.  The terminal sends its own to both processes, and the
 * end of the program ends the tool.  A signal that another process sends to the tool alone is
 * passed on, and then has its previous effect here. */
static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { PASSED = sizeof(passed) / sizeof(passed[0]) };
static struct snag_launch *volatile running;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const struct snag_launch *l = running;
	if (!l || info->si_code > 0)
		return;
	if (l->pidfd < 0)
		kill(l->pid, signal);
	for (int i = 0; i < PASSED; i++)
		if (passed[i] == signal && l->was[i].sa_handler != SIG_DFL &&
		    l->was[i].sa_handler != SIG_IGN)
			l->was[i].sa_handler(signal);
}

static void signals_pass(struct snag_launch *l)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	running = l;
	for (int i = 0; i < PASSED; i++) {
		bool is_ignored = sigaction(passed[i], NULL, &l->was[i]) == 0 &&
				  l->was[i].sa_handler == SIG_IGN;
		if (!is_ignored || passed[i] == SIGINT) /* as it is for what a shell's & starts */
			sigaction(passed[i], &action, NULL);
	}
}

static void signals_keep(struct snag_launch *l)
{
	running = NULL;
	for (int i = 0; i < PASSED; i++)
		sigaction(passed[i], &l->was[i], NULL);
}

static void signals_block(sigset_t *ret_mask)
{
	sigset_t all;
	sigemptyset(&all);
	for (int i = 0; i < PASSED; i++)
		sigaddset(&all, passed[i]);
	sigprocmask(SIG_BLOCK, &all, ret_mask);
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

/* The environment of the program: that of the tool, and what the runtime reads. */
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

/* In the child: a signal must not run the handlers of the tool in the memory of the tool. */
static void signals_reset(const sigset_t *mask)
{
	for (int i = 0; i < PASSED; i++) {
		struct sigaction old;
		bool is_ours = passed[i] == SIGINT || passed[i] == SIGQUIT;
		if (is_ours || (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN))
			signal(passed[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
}

static off_t input_at = -1; /* where the standard input of the program began; -1: it is no file */

/* In the child: gives a program that runs again the standard input of its first run.  False: that
 * is no file. */
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
	signals_reset(mask);
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
	signals_block(&mask); /* a signal that comes now waits, and is passed on */
	l->pid = program_fork(argv, environment.at, io, files, &mask, failed[1]);
	why = l->pid < 0 ? errno : 0;
	environment_done(&environment);
	if (l->pid > 0 && l->passes)
		signals_pass(l);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(failed[1]);
	while (l->pid > 0 && read(failed[0], &why, sizeof(why)) < 0 && errno == EINTR)
		;
	close(failed[0]);
	if (why && l->pid > 0) {
		if (l->passes)
			signals_keep(l);
		waitpid(l->pid, NULL, 0);
	}
	return why ? snag_fail(err, SNAG_EIO, "%s: %s", argv[0], strerror(why)) : 0;
}

static struct snag_launch *launch_new(void)
{
	struct snag_launch *l = snag_calloc(1, sizeof(*l));
	l->fd = l->pidfd = -1;
	l->pause_ns = SHORT_NS;
	return l;
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
	struct snag_launch *l = launch_new();
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
	struct snag_launch *l = launch_new();
	l->pid = to->pid;
	l->fd = to->channel;
	l->pidfd = (int)syscall(SYS_pidfd_open, to->pid, 0);
	int rc = l->pidfd < 0 ? snag_fail(err, SNAG_EIO, "process %d: %s", to->pid, strerror(errno))
			      : channel_map(l, err);
	if (rc == 0) {
		to->at = l->channel;
		l->channel->is_attached = 1;
		l->passes = true;
		signals_pass(l);
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

void snag_attached_answer(const struct snag_attached *to, int status)
{
	if (to->at) /* pairs with the acquire in verdict_wait */
		__atomic_store_n(&to->at->answer, 1 + (uint32_t)(status & 0xff), __ATOMIC_RELEASE);
}

/* Copies the records that are there, up to `room`, to the end of the lap, and until the writer
 * is to hear of it; returns how many.  What the program writes later changes none of them. */
static int records_take(struct snag_launch *l, struct rt_record *ret, int room)
{
	const struct rt_record *slot = rt_channel_record(l->channel, l->n);
	const uint64_t lap = (1 + l->n / RT_CHANNEL_RECORDS) & 1;
	const int most = TAKEN_EVERY - (int)(l->n % TAKEN_EVERY);
	int n = 0;
	for (room = room < most ? room : most; n < room; n++) {
		/* pairs with the release in rt_put */
		const uint64_t what = __atomic_load_n(&slot[n].what, __ATOMIC_ACQUIRE);
		if ((what >> RT_LAP_SHIFT & 1) != lap)
			break;
		ret[n] = (struct rt_record){.what = what, .loc = slot[n].loc, .arg = slot[n].arg};
	}
	l->n += (uint64_t)n;
	if (n == most) /* pairs with the acquire in rt_record_room */
		__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE);
	return n;
}

_Static_assert((int)RT_CHANNEL_RECORDS % (int)TAKEN_EVERY == 0,
	       "the writer hears of every lap's end");

/* What the program counted and could not record any more: runs that were open at its end.  Returns
 * how many records. */
static int runs_take(struct snag_launch *l, struct rt_record *ret, int room)
{
	struct rt_open_run *run = &l->channel->run;
	if (l->merge)
		return snag_merge_rest(l->merge, ret, room);
	if (!run->events || run->at != l->n)
		return 0;
	*ret = rt_open_run_record(run);
	run->events = 0;
	return 1;
}

/* From now on the signals of the terminal are for us. */
static void end_note(struct snag_launch *l)
{
	l->has_ended = true;
	if (l->passes)
		signals_keep(l);
}

/* Whether a program that is no child has written its status, or has ended; waits so long for it. */
static bool attached_has_ended(struct snag_launch *l, int milliseconds)
{
	struct pollfd end = {.fd = l->pidfd, .events = POLLIN};
	bool is_gone = poll(&end, 1, milliseconds) == 1;
	/* pairs with the release in verdict_wait: all records before are there */
	uint32_t finished = __atomic_load_n(&l->channel->finished, __ATOMIC_ACQUIRE);
	if (finished)
		l->status = W_EXITCODE((int)(finished - 1), 0);
	return finished || is_gone;
}

static bool has_ended(struct snag_launch *l)
{
	if (!l->has_ended && (l->pidfd >= 0 ? attached_has_ended(l, 0)
					    : waitpid(l->pid, &l->status, WNOHANG) == l->pid))
		end_note(l);
	return l->has_ended;
}

/* As long as few come in a pause the next is longer, so that waking up costs little. */
static void records_await(struct snag_launch *l)
{
	if (l->read - l->waited >= MANY)
		l->pause_ns = l->pause_ns / 2 > SHORT_NS ? l->pause_ns / 2 : SHORT_NS;
	else
		l->pause_ns = l->pause_ns * 2 < LONG_NS ? l->pause_ns * 2 : LONG_NS;
	l->waited = l->read;
	nanosleep(&(struct timespec){0, l->pause_ns}, NULL);
}

static int common_take(void *launch, struct rt_record *ret, int room)
{
	struct snag_launch *l = launch;
	int n = records_take(l, ret, room);
	if (n == 0) /* as in records_take */
		__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE);
	return n;
}

/* Threads run in parallel: from here on their records are merged. */
static bool merge_begin(struct snag_launch *l)
{
	void *at = mmap(NULL, rt_rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, l->fd,
			(off_t)rt_channel_bytes);
	if (at == MAP_FAILED)
		return false;
	l->rings = at;
	l->merge = snag_merge_new(at, common_take, l);
	return true;
}

/* The records that are there, up to `room`; returns how many, or -1: there is no memory. */
static int some_take(struct snag_launch *l, struct rt_record *ret, int room)
{
	if (l->merge)
		return snag_merge_next(l->merge, ret, room);
	int n = records_take(l, ret, room);
	if (!l->channel->is_parallel)
		return n;
	return merge_begin(l) ? snag_merge_rings(l->merge, ret, n) : -1;
}

int snag_launch_next(struct snag_launch *l, struct rt_record *ret_record, int room)
{
	int n = some_take(l, ret_record, room);
	l->read += n > 0 ? (uint64_t)n : 0;
	if (n != 0)
		return n;
	__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE); /* as in records_take */
	bool was_ended = l->has_ended;
	if (has_ended(l)) { /* once more, for what it wrote at last */
		n = was_ended ? runs_take(l, ret_record, room) : 0;
		return was_ended && n == 0 ? -1 : n;
	}
	records_await(l);
	return 0;
}

int snag_launch_take(struct snag_launch *l, struct rt_record *ret_record, int room)
{
	int n = records_take(l, ret_record, room);
	if (n == 0) /* as in snag_launch_next */
		__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE);
	return n;
}

void snag_launch_rewind(struct snag_launch *l)
{
	l->n = l->waited = 0;
}

struct rt_channel *snag_launch_channel(const struct snag_launch *l)
{
	return l->channel;
}

bool snag_launch_has_ended(struct snag_launch *l)
{
	return has_ended(l);
}

void snag_launch_abandon(struct snag_launch *l)
{
	__atomic_store_n(&l->channel->ended, 1, __ATOMIC_RELAXED);
	if (l->has_ended)
		return;
	if (l->pidfd >= 0)
		while (!attached_has_ended(l, LOOK_MS))
			;
	else
		while (waitpid(l->pid, &l->status, 0) < 0 && errno == EINTR)
			;
	end_note(l);
}

void snag_launch_kill(struct snag_launch *l)
{
	if (!l->has_ended)
		kill(l->pid, SIGKILL);
}

void snag_launch_halt(struct snag_launch *l, int status)
{
	/* pairs with the acquire in halt() of signals.c */
	__atomic_store_n(&l->channel->answer, 1 + (uint32_t)(status & 0xff), __ATOMIC_RELEASE);
	if (!l->has_ended)
		kill(l->pid, RT_SIGNAL);
}

int snag_launch_status(const struct snag_launch *l)
{
	return l->status;
}

int snag_launch_pid(const struct snag_launch *l)
{
	return l->pid;
}

const char *snag_launch_opened(const struct snag_launch *l)
{
	char *end = l->channel->opened + RT_OPENED; /* whoever wrote there: */
	end[-1] = end[-2] = 0;
	return l->channel->opened;
}

const uint64_t *snag_launch_executed(const struct snag_launch *l)
{
	return l->channel->executed;
}

bool snag_launch_was_claimed(const struct snag_launch *l)
{
	return l->channel->owner != 0;
}

const struct rt_verdict *snag_launch_verdict(const struct snag_launch *l)
{
	return &l->channel->verdict;
}

bool snag_launch_has_unseen_heap(const struct snag_launch *l)
{
	return l->channel->has_unseen_heap != 0;
}

uint32_t snag_launch_asked(const struct snag_launch *l)
{
	return l->channel->asked;
}

void snag_launch_free(struct snag_launch *l)
{
	if (!l)
		return;
	if (l->channel && l->pidfd < 0) /* else the answer is still to come */
		munmap(l->channel, rt_channel_bytes);
	if (l->rings)
		munmap(l->rings, rt_rings_bytes);
	snag_merge_free(l->merge);
	if (l->pidfd >= 0)
		close(l->pidfd);
	if (l->fd >= 0)
		close(l->fd);
	free(l);
}
