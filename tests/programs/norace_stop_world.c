/* Collectors stop the world by signals: the handler says that its thread stands still, and waits for
 * a second signal, whatever the thread was doing.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, ROUNDS = 2 };
enum work { LOCKS, WAITS, SLEEPS, READS, WORKS };
enum way { SUSPENDS, SUSPENDS_AGAIN, NAPS, SPINS, WAITS_FOR_IT, WAYS };

static enum way way;
static sem_t ack;
static atomic_int is_over;
static int counter, pipes[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static __thread volatile sig_atomic_t is_resumed;

/* The second signal is blocked but where it is waited for, or, in NAPS and SPINS, never. */
static void on_suspend(int number)
{
	const struct timespec nap = {0, 1000000};
	const int error = errno;
	sigset_t mask, second;
	sigfillset(&mask);
	sigdelset(&mask, SIGUSR2);
	sigemptyset(&second);
	sigaddset(&second, SIGUSR2);
	is_resumed = 0;
	sem_post(&ack);
	if (way == SUSPENDS)
		sigsuspend(&mask);
	while (way == SUSPENDS_AGAIN && !is_resumed)
		sigsuspend(&mask);
	while (way == NAPS && !is_resumed)
		nanosleep(&nap, 0);
	while (way == SPINS && !is_resumed)
		;
	if (way == WAITS_FOR_IT)
		sigwait(&second, &number);
	sem_post(&ack);
	errno = error;
}

static void on_resume(int number)
{
	is_resumed = 1;
}

static void wait_for_end(void)
{
	pthread_mutex_lock(&mutex);
	while (!is_over)
		pthread_cond_wait(&over, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void *run(void *work)
{
	char byte;
	while (!is_over)
		switch ((enum work)(long)work) {
		case LOCKS:
			pthread_mutex_lock(&mutex);
			counter++;
			pthread_mutex_unlock(&mutex);
			break;
		case WAITS:
			wait_for_end();
			break;
		case SLEEPS:
			usleep(100);
			break;
		default:
			if (read(pipes[0], &byte, 1) < 0)
				break;
		}
	return 0;
}

static void all_acknowledge(void)
{
	for (int i = 0; i < THREADS; i++)
		while (sem_wait(&ack) != 0)
			;
}

static void handlers_set(void)
{
	struct sigaction suspend = {.sa_handler = on_suspend}, resume = {.sa_handler = on_resume};
	if (way != NAPS && way != SPINS)
		sigfillset(&suspend.sa_mask);
	sigaction(SIGUSR1, &suspend, 0);
	sigaction(SIGUSR2, &resume, 0);
}

static void try(enum work work)
{
	pthread_t t[THREADS];
	is_over = 0;
	handlers_set();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, run, (void *)(long)work);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < THREADS; i++)
			pthread_kill(t[i], SIGUSR1);
		all_acknowledge();
		for (int i = 0; i < THREADS; i++)
			pthread_kill(t[i], SIGUSR2);
		all_acknowledge();
	}
	pthread_mutex_lock(&mutex);
	is_over = 1;
	pthread_cond_broadcast(&over);
	pthread_mutex_unlock(&mutex);
	if (write(pipes[1], "ab", THREADS) != THREADS)
		_exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
}

int main(void)
{
	sem_init(&ack, 0, 0);
	for (way = SUSPENDS; way < WAYS; way++)
		for (enum work work = LOCKS; work < WORKS; work++) {
			if (pipe(pipes) != 0)
				return 1;
			try(work);
			close(pipes[0]);
			close(pipes[1]);
		}
	return 0;
}
