/* What functions return, where snag stands in front of them.  The lines must be the same with and
 * without: tests/cli/guest.bats compares them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static char other_stack[1 << 16];
static volatile int is_on_other_stack, handled;
static const struct timespec invalid = {0, 2000000000}, negative = {-1, 0}, past = {1, 0};

static void say(const char *what, int result)
{
	printf("%s: %d\n", what, result);
}

static void times(void)
{
	pthread_mutex_lock(&mutex);
	say("cond_timedwait, invalid", pthread_cond_timedwait(&cond, &mutex, &invalid));
	say("cond_timedwait, past", pthread_cond_timedwait(&cond, &mutex, &past));
	say("cond_clockwait, no clock", pthread_cond_clockwait(&cond, &mutex, 99, &past));
	pthread_mutex_unlock(&mutex);
	say("mutex_timedlock, free, invalid", pthread_mutex_timedlock(&mutex, &invalid));
	say("mutex_timedlock, held, invalid", pthread_mutex_timedlock(&mutex, &invalid));
	say("mutex_timedlock, held, past", pthread_mutex_timedlock(&mutex, &past));
	say("mutex_timedlock, held, negative", pthread_mutex_timedlock(&mutex, &negative));
	pthread_mutex_unlock(&mutex);
	say("rwlock_timedrdlock, free, invalid", pthread_rwlock_timedrdlock(&rwlock, &invalid));
	say("rwlock_timedwrlock, free, invalid", pthread_rwlock_timedwrlock(&rwlock, &invalid));
	errno = 0;
	say("sem_timedwait, invalid", sem_timedwait(&semaphore, &invalid));
	say("  errno", errno);
	sem_post(&semaphore);
	say("sem_timedwait, posted, invalid", sem_timedwait(&semaphore, &invalid));
	say("nanosleep, invalid", nanosleep(&invalid, 0));
	say("  errno", errno);
	say("clock_nanosleep, absolute, invalid",
	    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &invalid, 0));
	say("clock_nanosleep, invalid", clock_nanosleep(CLOCK_MONOTONIC, 0, &invalid, 0));
	say("clock_nanosleep, no clock", clock_nanosleep(99, 0, &past, 0));
}

static void *dies(void *unused)
{
	pthread_mutex_lock(&robust);
	return unused;
}

static void robust_left(void)
{
	pthread_mutexattr_t attr;
	pthread_t t;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	pthread_create(&t, 0, dies, 0);
	pthread_join(t, 0);
}

static void robustness(void)
{
	robust_left();
	say("lock after its owner", pthread_mutex_lock(&robust));
	say("unlock, inconsistent", pthread_mutex_unlock(&robust));
	say("lock, lost", pthread_mutex_lock(&robust));
	say("trylock, lost", pthread_mutex_trylock(&robust));
	say("consistent, lost", pthread_mutex_consistent(&robust));
	pthread_mutex_destroy(&robust);
	robust_left();
	say("trylock after its owner", pthread_mutex_trylock(&robust));
	say("consistent", pthread_mutex_consistent(&robust));
	say("consistent again", pthread_mutex_consistent(&robust));
	say("unlock", pthread_mutex_unlock(&robust));
	say("lock", pthread_mutex_lock(&robust));
	pthread_mutex_unlock(&robust);
	say("consistent, not robust", pthread_mutex_consistent(&mutex));
}

static void on_other_stack(int number)
{
	char here;
	is_on_other_stack = &here >= other_stack && &here < other_stack + sizeof(other_stack);
}

static void on_signal(int number)
{
	handled++;
}

static void *pokes(void *thread)
{
	usleep(20000);
	pthread_kill(*(pthread_t *)thread, SIGUSR1);
	return 0;
}

static void interrupted(void)
{
	struct timespec two = {2, 0}, left = {0};
	pthread_t t, self = pthread_self();
	pthread_create(&t, 0, pokes, &self);
	say("sleep, left", (int)sleep(2));
	pthread_join(t, 0);
	pthread_create(&t, 0, pokes, &self);
	say("nanosleep", nanosleep(&two, &left));
	say("  errno", errno);
	say("  a second is left", left.tv_sec == 1);
	pthread_join(t, 0);
}

static void signals(void)
{
	stack_t other = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	struct sigaction act = {.sa_handler = on_other_stack, .sa_flags = SA_ONSTACK}, old;
	sigaltstack(&other, 0);
	sigaction(SIGUSR2, &act, 0);
	raise(SIGUSR2);
	say("SA_ONSTACK", is_on_other_stack);
	act = (struct sigaction){.sa_handler = on_signal};
	sigaction(SIGUSR1, &act, 0);
	interrupted();
	handled = 0;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		sigaction(number, 0, &old);
		if (old.sa_handler != SIG_DFL || sigaction(number, &act, 0) != 0)
			say("real-time signal", number);
		raise(number);
	}
	say("real-time signals handled", handled);
	sigaction(SIGPIPE, 0, &old);
	say("SIGPIPE is ignored", old.sa_handler == SIG_IGN);
	sigaction(SIGWINCH, 0, &old);
	say("SIGWINCH is ignored", old.sa_handler == SIG_IGN);
}

static int ended(pid_t child)
{
	int status = 0;
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static void children(void)
{
	fflush(stdout);
	pid_t child = vfork();
	if (child == 0)
		_exit(7);
	say("vfork, _exit", ended(child));
	fflush(stdout);
	child = vfork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
		_exit(1);
	}
	say("vfork, exec", ended(child));
}

static void surroundings(void)
{
	char path[32];
	for (char **e = environ; *e; e++)
		puts(*e);
	for (int fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (access(path, F_OK) == 0)
			say("descriptor", fd);
	}
}

int main(void)
{
	sem_init(&semaphore, 0, 0);
	times();
	robustness();
	signals();
	children();
	surroundings();
	return 0;
}
