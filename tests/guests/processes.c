/* Guests that create processes, and how they end. */
#include "guest.h"

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>

extern char **environ;

static void *returns(void *value)
{
	return value;
}

static void *naps(void *unused)
{
	nap(20);
	return unused;
}

static void before(void)
{
	say("before fork", 1);
}

static void in_parent(void)
{
	nap(100);
	say("in the parent", 1);
}

static void in_child(void)
{
	say("in the child", 1);
}

int fork_handlers(void)
{
	end_of(start(returns, NULL));
	pthread_atfork(before, in_parent, in_child);
	pid_t child = fork();
	if (child == 0) {
		end_of(start(returns, NULL));
		exit(4);
	}
	say_end("child", child_end(child));
	return 0;
}

static void *forks(void *unused)
{
	pid_t child = fork();
	if (child == 0) {
		say("joined", end_of(start(naps, NULL)) == NULL);
		exit(6);
	}
	say_end("child of a thread", child_end(child));
	return unused;
}

int fork_in_thread(void)
{
	pthread_t other = start(naps, NULL);
	end_of(start(forks, NULL));
	end_of(other);
	pid_t child = fork();
	if (child == 0) {
		pid_t grandchild = fork();
		if (grandchild == 0)
			exit(end_of(start(returns, (void *)9)) == (void *)9 ? 9 : 1);
		say_end("grandchild", child_end(grandchild));
		_exit(8);
	}
	say_end("child", child_end(child));
	return 0;
}

int spawn_answers(void)
{
	char *shell[] = {"sh", "-c", "echo \"$GUEST $0 $#\"; exit 3", NULL};
	char *nothing[] = {"nothing", NULL};
	pid_t child = 0;
	setenv("GUEST", "set", 1);
	end_of(start(returns, NULL));
	int rc = posix_spawn(&child, "/bin/sh", NULL, NULL, shell, environ);
	say_end("posix_spawn", rc == 0 ? child_end(child) : -1);
	SAY(posix_spawn(&child, "/no/such/file", NULL, NULL, nothing, environ));
	say_end("system", system("exit 5"));
	say_end("system with a signal", system("kill -TERM $$"));
	FILE *f = popen("cat; exit 7", "w");
	fputs("through a pipe\n", f);
	say_end("pclose", pclose(f));
	SAY(execl("/no/such/file", "file", NULL));
	execl("/bin/sh", "sh", "-c", "env | grep -c -i snag; exit 11", NULL);
	return 1;
}

static void first(void)
{
	puts("first at exit");
}

static void second(void)
{
	puts("second at exit");
}

static void third(int status, void *what)
{
	printf("third at exit: %d %s\n", status, (const char *)what);
}

int exit_order(void)
{
	atexit(first);
	atexit(second);
	on_exit(third, "argument");
	printf("not flushed before");
	exit(300);
}

int exit_quick(void)
{
	atexit(first);
	at_quick_exit(second);
	say("quick", 1);
	quick_exit(13);
}

static void *exits(void *unused)
{
	exit(21);
	return unused;
}

int exit_in_thread(void)
{
	atexit(first);
	pthread_t t = start(exits, NULL);
	for (;;)
		pause();
	end_of(t);
}

static void *ends_main(void *main_thread)
{
	say("main", (long)end_of(*(pthread_t *)main_thread));
	exit(22);
}

int exit_without_main(void)
{
	static pthread_t self;
	self = pthread_self();
	start(ends_main, &self);
	pthread_exit((void *)5);
}

static void *runs_for_ever(void *unused)
{
	for (volatile unsigned i = 0;; i++)
		;
	return unused;
}

int exit_with_threads(void)
{
	for (int i = 0; i < 3; i++)
		pthread_detach(start(runs_for_ever, NULL));
	nap(20);
	return 23;
}

static void begins_thread(void)
{
	say("thread at exit", end_of(start(returns, (void *)1)) == (void *)1);
}

int exit_begins_thread(void)
{
	atexit(begins_thread);
	return 24;
}

/* A daemon closes all descriptors that it does not know. */
int close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	say("first descriptor", open("/dev/null", O_RDONLY));
	say("joined", end_of(start(naps, (void *)2)) == (void *)2);
	pid_t child = fork();
	if (child == 0) {
		closefrom(0);
		exit(end_of(start(naps, (void *)3)) == (void *)3 ? 31 : 32);
	}
	say_end("child without descriptors", child_end(child));
	return 0;
}

int few_descriptors(void)
{
	struct rlimit limit = {16, 16};
	int fd, n = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	while ((fd = dup(0)) >= 0)
		n = fd;
	say("last descriptor", n);
	SAY(open("/dev/null", O_RDONLY));
	say("joined", end_of(start(naps, (void *)2)) == (void *)2);
	return 0;
}

int surroundings(void)
{
	struct rlimit limit;
	sigset_t mask;
	char name[17] = "";
	getrlimit(RLIMIT_STACK, &limit);
	say("stack", (long)limit.rlim_cur);
	getrlimit(RLIMIT_NOFILE, &limit);
	say("descriptors", (long)limit.rlim_cur);
	getrlimit(RLIMIT_CORE, &limit);
	say("core", (long)limit.rlim_cur);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction now;
		if (sigismember(&mask, number) == 1)
			say("blocked", number);
		if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
			say("handled", number);
	}
	say("umask", (long)umask(0));
	say("has a parent that waits", getppid() > 1);
	SAY(wait(NULL));
	prctl(PR_GET_NAME, name);
	puts(name);
	say("dumpable", prctl(PR_GET_DUMPABLE));
	say("no new rights", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	puts(program_invocation_short_name);
	return 0;
}

/* A child in a session of its own outlives its parent, and its output still arrives. */
int session(void)
{
	int ends[2];
	char byte = 0;
	pipe(ends);
	pid_t child = fork();
	if (child == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		end_of(start(naps, NULL));
		write(ends[1], "x", 1);
		_exit(0);
	}
	say_end("child", child_end(child));
	close(ends[1]);
	say("read", read(ends[0], &byte, 1));
	say("end", read(ends[0], &byte, 1));
	return byte == 'x' ? 0 : 1;
}
