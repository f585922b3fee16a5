/* Guests that lock: what locks answer. */
#include "guest.h"

#include <limits.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore, ready;

static void *locks_and_stays(void *which)
{
	pthread_mutex_lock(which);
	SAY(pthread_mutex_lock(which));
	SAY(pthread_mutex_trylock(which));
	sem_post(&ready);
	sem_wait(&semaphore);
	SAY(pthread_mutex_unlock(which));
	SAY(pthread_mutex_unlock(which));
	return NULL;
}

static void kind_of_mutex(int kind)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	pthread_mutexattr_init(&attr);
	say("kind", kind);
	SAY(pthread_mutexattr_settype(&attr, kind));
	pthread_mutex_init(&m, &attr);
	pthread_t t = start(locks_and_stays, &m);
	sem_wait(&ready);
	SAY(pthread_mutex_trylock(&m));
	SAY(pthread_mutex_unlock(&m));
	SAY(pthread_mutex_destroy(&m));
	sem_post(&semaphore);
	end_of(t);
	SAY(pthread_mutex_unlock(&m));
	SAY(pthread_mutex_destroy(&m));
}

int mutex_answers(void)
{
	struct timespec past = {1, 0};
	sem_init(&semaphore, 0, 0);
	sem_init(&ready, 0, 0);
	kind_of_mutex(PTHREAD_MUTEX_ERRORCHECK);
	kind_of_mutex(PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_t m;
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &attr);
	pthread_mutex_lock(&m);
	SAY(pthread_mutex_timedlock(&m, &past));
	SAY(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
	SAY(pthread_cond_timedwait(&cond, &m, &past));
	SAY(pthread_mutex_unlock(&m));
	SAY(pthread_cond_timedwait(&cond, &m, &past));
	return 0;
}

/* Priority protocols: inheritance, and a ceiling. */
int mutex_priority(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	int ceiling = -1;
	pthread_mutexattr_init(&attr);
	SAY(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
	SAY(pthread_mutex_init(&m, &attr));
	SAY(pthread_mutex_lock(&m));
	SAY(pthread_mutex_trylock(&m));
	SAY(pthread_mutex_unlock(&m));
	SAY(pthread_mutex_destroy(&m));
	SAY(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT));
	SAY(pthread_mutexattr_setprioceiling(&attr, 7));
	SAY(pthread_mutex_init(&m, &attr));
	SAY(pthread_mutex_getprioceiling(&m, &ceiling));
	say("ceiling", ceiling);
	SAY(pthread_mutex_setprioceiling(&mutex, 7, &ceiling));
	return 0;
}

static void *tries_rwlock(void *unused)
{
	struct timespec past = {1, 0};
	SAY(pthread_rwlock_tryrdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
	SAY(pthread_rwlock_trywrlock(&rwlock));
	SAY(pthread_rwlock_timedwrlock(&rwlock, &past));
	SAY(pthread_rwlock_timedrdlock(&rwlock, &past) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
	SAY(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past));
	return unused;
}

int rwlock_answers(void)
{
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_rdlock(&rwlock));
	end_of(start(tries_rwlock, NULL));
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	SAY(pthread_rwlock_wrlock(&rwlock));
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_wrlock(&rwlock));
	end_of(start(tries_rwlock, NULL));
	SAY(pthread_rwlock_unlock(&rwlock));
	return 0;
}

static pthread_rwlock_t fair;
static int order[2];
static int nordered;

static void *writes(void *unused)
{
	pthread_rwlock_wrlock(&fair);
	order[nordered++] = 'w';
	pthread_rwlock_unlock(&fair);
	return unused;
}

static void *reads(void *unused)
{
	SAY(pthread_rwlock_tryrdlock(&fair));
	sem_post(&ready);
	pthread_rwlock_rdlock(&fair);
	order[nordered++] = 'r';
	pthread_rwlock_unlock(&fair);
	return unused;
}

/* A lock that prefers writers keeps readers out while a writer waits. */
int rwlock_prefers_writers(void)
{
	pthread_rwlockattr_t attr;
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&fair, &attr);
	sem_init(&ready, 0, 0);
	pthread_rwlock_rdlock(&fair);
	pthread_t writer = start(writes, NULL);
	for (; pthread_rwlock_tryrdlock(&fair) == 0; nap(5))
		pthread_rwlock_unlock(&fair);
	pthread_t reader = start(reads, NULL);
	sem_wait(&ready);
	pthread_rwlock_unlock(&fair);
	end_of(writer);
	end_of(reader);
	printf("%c %c\n", order[0], order[1]);
	return 0;
}

int semaphore_answers(void)
{
	sem_t s, *named;
	int value = -1;
	SAY(sem_init(&s, 0, 0x80000000u));
	SAY(sem_init(&s, 0, 2));
	SAY(sem_trywait(&s));
	SAY(sem_wait(&s));
	SAY(sem_trywait(&s));
	SAY(sem_getvalue(&s, &value));
	say("value", value);
	SAY(sem_destroy(&s));
	sem_init(&s, 0, SEM_VALUE_MAX);
	SAY(sem_post(&s));
	SAY(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED);
	sem_unlink("/snag-guest");
	named = sem_open("/snag-guest", O_CREAT | O_EXCL, 0600, 1);
	SAY(sem_open("/snag-guest", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
	say("the same", sem_open("/snag-guest", 0) == named);
	SAY(sem_wait(named));
	SAY(sem_trywait(named));
	SAY(sem_close(named));
	SAY(sem_unlink("/snag-guest"));
	SAY(sem_unlink("/snag-guest"));
	return 0;
}

static pthread_barrier_t barrier;
static int serials;

static void *arrives(void *unused)
{
	for (int i = 0; i < 20; i++)
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add(&serials, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int barrier_answers(void)
{
	pthread_t t[4];
	SAY(pthread_barrier_init(&barrier, NULL, 0));
	SAY(pthread_barrier_init(&barrier, NULL, 4));
	for (int i = 0; i < 4; i++)
		t[i] = start(arrives, NULL);
	for (int i = 0; i < 4; i++)
		end_of(t[i]);
	say("serial threads", serials);
	SAY(pthread_barrier_destroy(&barrier));
	return 0;
}
