/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock made of a futex; waits that end in time, at once, or by another process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FREE, TAKEN, WANTED, THREADS = 4, ROUNDS = 20 };

static atomic_uint word;
static int counter;

static long futex(void *at, int op, unsigned value, const struct timespec *time)
{
	return syscall(SYS_futex, at, op, value, time, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void lock(void)
{
	unsigned was = FREE;
	if (atomic_compare_exchange_strong(&word, &was, TAKEN))
		return;
	while (atomic_exchange(&word, WANTED) != FREE)
		futex(&word, FUTEX_WAIT_PRIVATE, WANTED, NULL);
}

static void unlock(void)
{
	if (atomic_exchange(&word, FREE) == WANTED)
		futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		lock();
		counter++;
		unlock();
	}
	return arg;
}

static int fails_with(long result, int why)
{
	return result == -1 && errno == why;
}

/* The other process is not seen: its wake comes through the kernel. */
static int wait_for_process(void)
{
	atomic_uint *shared =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	if (child == 0) {
		usleep(10000);
		atomic_store(shared, 1);
		futex(shared, FUTEX_WAKE, 1, NULL);
		_exit(0);
	}
	while (!atomic_load(shared))
		futex(shared, FUTEX_WAIT, 0, NULL);
	return waitpid(child, NULL, 0) == child;
}

int main(void)
{
	pthread_t t[THREADS];
	const struct timespec soon = {0, 1000000};
	unsigned own = 0;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	if (!fails_with(futex(&own, FUTEX_WAIT, 0, &soon), ETIMEDOUT) ||
	    !fails_with(futex(&own, FUTEX_WAIT, 1, &soon), EAGAIN) ||
	    !fails_with(syscall(SYS_close, -1), EBADF) || syscall(SYS_getpid) != getpid())
		return 1;
	return !wait_for_process() || counter != THREADS * ROUNDS;
}
