/* Guests that handle signals. */
#include "guest.h"

#include <setjmp.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile sig_atomic_t count, last, depth, deepest;
static char other_stack[1 << 16];
static sem_t never;

static void counts(int number)
{
	count++;
	last = number;
}

static int is_over;

static void *pokes_main(void *thread)
{
	do {
		nap(50);
		pthread_kill(*(pthread_t *)thread, SIGUSR1);
	} while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST));
	return NULL;
}

/* Runs `wait` while another thread sends SIGUSR1 to this one, until it is over. */
static void poked(void (*wait)(void))
{
	pthread_t self = pthread_self(), t = start(pokes_main, &self);
	wait();
	__atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
	signal(SIGUSR1, SIG_IGN);
	end_of(t);
	is_over = 0;
}

static void wait_pause(void)
{
	SAY(pause());
}

static void wait_semaphore(void)
{
	SAY(sem_wait(&never));
}

static void wait_semaphore_timed(void)
{
	struct timespec at;
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 5;
	SAY(sem_timedwait(&never, &at));
}

static void wait_read(void)
{
	char byte;
	int ends[2];
	pipe(ends);
	SAY(read(ends[0], &byte, 1));
}

static void wait_select(void)
{
	struct timeval time = {5, 0};
	SAY(select(0, NULL, NULL, NULL, &time));
}

static void wait_clock(void)
{
	struct timespec time = {5, 0}, left = {0, 0};
	errno = 0;
	say("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &left));
	say("errno", errno);
	say("left", left.tv_sec);
}

int signal_interrupts(void)
{
	void (*const waits[])(void) = {wait_pause, wait_semaphore, wait_semaphore_timed,
				       wait_read,  wait_select,	   wait_clock};
	struct sigaction act = {.sa_handler = counts};
	sem_init(&never, 0, 0);
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		sigaction(SIGUSR1, &act, NULL);
		poked(waits[i]);
	}
	say("handled", count > 5);
	return 0;
}

/* System V's signal(): the handler is used once, and calls are interrupted. */
int signal_sysv(void)
{
	struct sigaction now;
	say("before", sysv_signal(SIGUSR1, counts) == SIG_DFL);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &now);
	say("default again", now.sa_handler == SIG_DFL);
	say("handled", count);
	sysv_signal(SIGUSR1, counts);
	sigaction(SIGUSR1, NULL, &now);
	say("handler", now.sa_handler == counts);
	say("flags", now.sa_flags & (int)(SA_RESETHAND | SA_NODEFER | SA_RESTART | SA_SIGINFO));
	return 0;
}

int signal_sets(void)
{
	say("sigset", sigset(SIGUSR2, counts) == SIG_DFL);
	say("sighold", sighold(SIGUSR2));
	raise(SIGUSR2);
	say("held", count);
	say("sigset while held", sigset(SIGUSR2, SIG_HOLD) == SIG_HOLD);
	say("sigrelse", sigrelse(SIGUSR2));
	say("released", count);
	say("sigset again", sigset(SIGUSR2, SIG_DFL) == counts);
	say("sigignore", sigignore(SIGUSR2));
	raise(SIGUSR2);
	say("ignored", signal(SIGUSR2, counts) == SIG_IGN);
	SAY(signal(SIGKILL, counts));
	SAY(signal(4000, counts));
	SAY(signal(SIGUSR1, SIG_ERR));
	return 0;
}

static void *pauses(void *unused)
{
	sigset_t set;
	sigset(SIGUSR1, counts);
	sighold(SIGUSR1);
	sem_post(&never);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	say("blocked", sigismember(&set, SIGUSR1));
	SAY(sigpause(SIGUSR1));
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	say("blocked again", sigismember(&set, SIGUSR1));
	return unused;
}

int signal_pause(void)
{
	sem_init(&never, 0, 0);
	pthread_t t = start(pauses, NULL);
	sem_wait(&never);
	pthread_kill(t, SIGUSR1);
	end_of(t);
	say("handled", count);
	return 0;
}

static void query(const char *what)
{
	struct sigaction now;
	memset(&now, 0, sizeof(now));
	sigaction(SIGUSR1, NULL, &now);
	printf("%s: handler %d, flags %x, masks %d %d\n", what, now.sa_handler == counts,
	       (unsigned)now.sa_flags, sigismember(&now.sa_mask, SIGUSR1),
	       sigismember(&now.sa_mask, SIGUSR2));
}

int signal_query(void)
{
	struct sigaction act = {.sa_handler = counts, .sa_flags = SA_NODEFER | SA_NOCLDSTOP};
	query("at first");
	signal(SIGUSR1, counts);
	query("signal");
	siginterrupt(SIGUSR1, 1);
	query("siginterrupt");
	signal(SIGUSR1, counts);
	query("signal again");
	siginterrupt(SIGUSR1, 0);
	query("siginterrupt off");
	sigaddset(&act.sa_mask, SIGUSR2);
	sigaddset(&act.sa_mask, SIGKILL);
	sigaction(SIGUSR1, &act, NULL);
	query("sigaction");
	raise(SIGUSR1);
	say("handled", count);
	return 0;
}

static void says_where(int number, siginfo_t *info, void *context)
{
	char here;
	const ucontext_t *c = context;
	count = &here >= other_stack && &here < other_stack + sizeof(other_stack);
	last = info->si_signo == number && info->si_pid == getpid() &&
	       c->uc_stack.ss_sp == other_stack;
}

/* A signal that comes while the thread waits for another one runs on the other stack, too. */
int signal_stack(void)
{
	stack_t other = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)}, now;
	struct sigaction act = {.sa_sigaction = says_where, .sa_flags = SA_ONSTACK | SA_SIGINFO};
	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &act, NULL);
	sem_init(&never, 0, 0);
	poked(wait_semaphore);
	sigaction(SIGUSR1, &act, NULL);
	say("on the other stack", count);
	say("information", last);
	sigaltstack(NULL, &now);
	say("flags", now.ss_flags);
	count = last = 0;
	poked(wait_pause);
	say("on the other stack", count);
	say("information", last);
	return 0;
}

static void nests(int number)
{
	if (++depth > deepest)
		deepest = depth;
	if (++count < 3)
		raise(number);
	depth--;
}

int signal_nested(void)
{
	struct sigaction act = {.sa_handler = nests, .sa_flags = SA_NODEFER};
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	say("with SA_NODEFER", deepest);
	deepest = count = 0;
	act.sa_flags = 0;
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	say("without", deepest);
	return 0;
}

static void takes_value(int number, siginfo_t *info, void *unused)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%d: %d %d\n", number - SIGRTMIN,
			 info->si_value.sival_int, info->si_code == SI_QUEUE);
	write(1, text, (size_t)n);
}

int signal_queue(void)
{
	struct sigaction act = {.sa_sigaction = takes_value, .sa_flags = SA_SIGINFO};
	sigset_t set, pending;
	sigemptyset(&set);
	for (int i = 0; i < 3; i++) {
		sigaddset(&set, SIGRTMIN + i);
		sigaction(SIGRTMIN + i, &act, NULL);
	}
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 9; i++)
		sigqueue(getpid(), SIGRTMIN + 2 - i % 3, (union sigval){.sival_int = i});
	sigpending(&pending);
	say("pending", sigismember(&pending, SIGRTMIN + 1));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	SAY(pthread_sigmask(77, &set, NULL));
	return 0;
}

static void *waits_for_signals(void *set)
{
	for (int number = 0; number != SIGTERM;) {
		sigwait(set, &number);
		say("sigwait", number);
	}
	return NULL;
}

int signal_wait(void)
{
	struct timespec none = {0, 0}, some = {0, 30000000};
	siginfo_t info;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	SAY(sigtimedwait(&set, NULL, &none));
	SAY(sigtimedwait(&set, &info, &some));
	pthread_t t = start(waits_for_signals, &set);
	kill(getpid(), SIGUSR1);
	nap(50);
	kill(getpid(), SIGTERM);
	end_of(t);
	return 0;
}

static sigjmp_buf out;

static void jumps(int number)
{
	siglongjmp(out, number);
}

int signal_jump(void)
{
	struct itimerval soon = {{0, 0}, {0, 30000}};
	signal(SIGALRM, jumps);
	for (int i = 0; i < 3; i++) {
		int number = sigsetjmp(out, 1);
		if (number) {
			say("out by", number);
			continue;
		}
		setitimer(ITIMER_REAL, &soon, NULL);
		if (i == 0)
			sem_init(&never, 0, 0), sem_wait(&never);
		else if (i == 1)
			sleep(5);
		else
			for (;;)
				;
	}
	return 5;
}

static int recurse(volatile char *outer)
{
	volatile char here[4096];
	here[0] = outer ? outer[0] : 1;
	return recurse(here) + here[0];
}

int signal_overflow(void)
{
	stack_t other = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	struct sigaction act = {.sa_handler = jumps, .sa_flags = SA_ONSTACK};
	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &act, NULL);
	for (int i = 0; i < 2; i++) {
		int number = sigsetjmp(out, 1);
		if (number == 0)
			recurse(NULL);
		say("overflow", number);
	}
	return 0;
}

static void faults(int number, siginfo_t *info, void *unused)
{
	say("signal", number);
	say("code", info->si_code);
	_exit(17);
}

int signal_fault(void)
{
	struct sigaction act = {.sa_sigaction = faults, .sa_flags = SA_SIGINFO};
	volatile int zero = 0;
	sigaction(SIGFPE, &act, NULL);
	return 1 / zero;
}

int signal_deaths(void)
{
	const int numbers[] = {SIGTERM, SIGABRT, SIGSEGV, SIGKILL, SIGALRM, SIGRTMIN + 3, SIGPIPE};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		pid_t child = fork();
		if (child == 0) {
			raise(numbers[i]);
			_exit(0);
		}
		say_end("child", child_end(child));
	}
	struct sigaction act = {.sa_handler = counts, .sa_flags = (int)SA_RESETHAND};
	pid_t child = fork();
	if (child == 0) {
		sigaction(SIGINT, &act, NULL);
		raise(SIGINT);
		raise(SIGINT);
		_exit(0);
	}
	say_end("child with SA_RESETHAND", child_end(child));
	raise(SIGUSR2);
	return 0;
}

int signal_descriptor(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, 0);
	is_over = 1;
	pthread_t self = pthread_self(), t = start(pokes_main, &self);
	say("read", read(fd, &info, sizeof(info)));
	say("signal", (long)info.ssi_signo);
	end_of(t);
	return 0;
}

int signal_children(void)
{
	struct sigaction act = {.sa_handler = counts, .sa_flags = SA_RESTART};
	int status = 0;
	sigaction(SIGCHLD, &act, NULL);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(i);
		while (count <= i)
			nap(5);
		say("reaped", waitpid(-1, &status, WNOHANG) == child);
		say_end("child", status);
	}
	pid_t child = fork();
	if (child == 0) {
		raise(SIGSTOP);
		_exit(3);
	}
	say("stopped", waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
	kill(child, SIGCONT);
	say_end("child", child_end(child));
	SAY(waitpid(-1, &status, 0));
	return 0;
}

/* SIGABRT of another process is a signal like any other. */
int signal_abort_sent(void)
{
	struct sigaction act = {.sa_handler = counts};
	pid_t parent = getpid(), child;
	sigaction(SIGABRT, &act, NULL);
	sem_init(&never, 0, 0);
	for (int i = 0; i < 2; i++) {
		child = fork();
		for (; child == 0; kill(parent, SIGABRT))
			nap(50);
		if (i == 0)
			SAY(sem_wait(&never));
		else
			SAY(usleep(5000000));
		kill(child, SIGKILL);
		child_end(child);
	}
	say("handled", count > 1);
	return 0;
}

static void aborted(int number)
{
	write(1, "aborts\n", 7);
}

int signal_abort(void)
{
	signal(SIGABRT, aborted);
	printf("not flushed");
	abort();
}
