/* Guests with threads: how they begin, end and are cancelled. */
#include "guest.h"

#include <limits.h>
#include <sched.h>
#include <threads.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore, ready;

static void cleans(void *what)
{
	printf("cleanup: %s\n", (const char *)what);
	fflush(stdout);
}

static void *in_sleep(void *unused)
{
	sem_post(&ready);
	sleep(100);
	return unused;
}

static void *in_semaphore(void *unused)
{
	sem_post(&ready);
	sem_wait(&semaphore);
	return unused;
}

static void *in_cond(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &mutex);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return unused;
}

static void *in_read(void *unused)
{
	int ends[2];
	char byte;
	pipe(ends);
	sem_post(&ready);
	read(ends[0], &byte, 1);
	return unused;
}

static void *in_pause(void *unused)
{
	sem_post(&ready);
	pause();
	return unused;
}

static void *in_join(void *other)
{
	sem_post(&ready);
	pthread_join(*(pthread_t *)other, NULL);
	return NULL;
}

static void *in_loop(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&ready);
	for (volatile unsigned i = 0;; i++)
		;
	return unused;
}

static void *in_wait(void *unused)
{
	sem_post(&ready);
	wait(NULL);
	return unused;
}

/* Where only asynchronous cancelling ends a thread. */
static void *in_mutex(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&ready);
	pthread_mutex_lock(&mutex);
	return unused;
}

static void *in_rwlock(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&ready);
	pthread_rwlock_wrlock(&rwlock);
	return unused;
}

static void cancels(const char *where, void *(*run)(void *), void *arg)
{
	pthread_t t = start(run, arg);
	while (sem_wait(&ready) != 0)
		;
	nap(20);
	pthread_cancel(t);
	printf("cancelled in %s: %d\n", where, end_of(t) == PTHREAD_CANCELED);
	fflush(stdout);
}

int thread_cancels(void)
{
	sem_init(&semaphore, 0, 0);
	sem_init(&ready, 0, 0);
	pthread_t sleeper = start(in_sleep, NULL);
	sem_wait(&ready);
	cancels("sleep", in_sleep, NULL);
	cancels("sem_wait", in_semaphore, NULL);
	cancels("pthread_cond_wait", in_cond, NULL);
	say("mutex is free", pthread_mutex_trylock(&mutex));
	cancels("a mutex", in_mutex, NULL);
	pthread_rwlock_rdlock(&rwlock);
	cancels("a rwlock", in_rwlock, NULL);
	cancels("read", in_read, NULL);
	cancels("pause", in_pause, NULL);
	cancels("pthread_join", in_join, &sleeper);
	cancels("a loop", in_loop, NULL);
	if (fork() == 0) {
		sleep(3);
		_exit(0);
	}
	cancels("wait", in_wait, NULL);
	return 0;
}

static void *disables(void *unused)
{
	int old = -1;
	SAY(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	say("was enabled", old == PTHREAD_CANCEL_ENABLE);
	sem_post(&ready);
	sem_wait(&semaphore);
	pthread_testcancel();
	say("still here", 1);
	pthread_cleanup_push(cleans, "outer");
	pthread_cleanup_push(cleans, "inner");
	SAY(pthread_setcancelstate(77, NULL));
	SAY(pthread_setcanceltype(77, NULL));
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return unused;
}

int thread_cancel_state(void)
{
	sem_init(&ready, 0, 0);
	sem_init(&semaphore, 0, 0);
	pthread_t t = start(disables, NULL);
	sem_wait(&ready);
	pthread_cancel(t);
	sem_post(&semaphore);
	say("cancelled", end_of(t) == PTHREAD_CANCELED);
	return 0;
}

static pthread_key_t keys[2];

static void key_ends(void *value)
{
	say("destructor", *(int *)value);
	if (++*(int *)value < 13)
		pthread_setspecific(keys[1], value);
}

static void *has_keys(void *unused)
{
	static int first = 1, second = 10;
	pthread_setspecific(keys[0], &first);
	pthread_setspecific(keys[1], &second);
	pthread_cleanup_push(cleans, "before the keys");
	pthread_exit((void *)7);
	pthread_cleanup_pop(0);
	return unused;
}

int thread_keys(void)
{
	pthread_key_create(&keys[0], key_ends);
	pthread_key_create(&keys[1], key_ends);
	say("value", (long)end_of(start(has_keys, NULL)));
	say("deleted", pthread_key_delete(keys[0]));
	say("again", pthread_key_delete(keys[0]));
	return 0;
}

static void *in_key(void *unused)
{
	return unused;
}

/* All keys that there are: the program has the system's number of them. */
int thread_all_keys(void)
{
	pthread_key_t key;
	int n = 0;
	while (n < 5000 && pthread_key_create(&key, NULL) == 0)
		n++;
	say("more than a thousand", n > 1000);
	SAY(pthread_key_create(&key, NULL));
	end_of(start(in_key, NULL));
	return 0;
}

static void *formats(void *unused)
{
	char text[200];
	int n = snprintf(text, sizeof(text), "%f %s %d", 3.5, "on a small stack", 42);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	free(malloc(100));
	return (void *)(long)n;
}

int thread_stacks(void)
{
	static char stack[1 << 16] __attribute__((aligned(4096)));
	pthread_attr_t attr, now;
	pthread_t t;
	size_t size = 0;
	void *at = NULL;
	pthread_attr_init(&attr);
	SAY(pthread_attr_setstacksize(&attr, 1));
	SAY(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN));
	SAY(pthread_create(&t, &attr, formats, NULL));
	say("formatted", (long)end_of(t));
	SAY(pthread_attr_setstack(&attr, stack, sizeof(stack)));
	SAY(pthread_create(&t, &attr, formats, NULL));
	pthread_getattr_np(t, &now);
	pthread_attr_getstack(&now, &at, &size);
	say("its own", at == stack && size == sizeof(stack));
	say("formatted", (long)end_of(t));
	return 0;
}

/* Joining a detached thread that still runs: a mistake, with an answer. */
int thread_mistakes(void)
{
	pthread_attr_t attr;
	pthread_t t;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sem_init(&semaphore, 0, 0);
	SAY(pthread_create(&t, &attr, in_semaphore, NULL));
	SAY(pthread_join(t, NULL));
	SAY(pthread_detach(t));
	return 0;
}

static void *returns(void *value)
{
	return value;
}

static void *waits(void *value)
{
	sem_wait(&semaphore);
	return value;
}

int thread_joins(void)
{
	struct timespec past = {1, 0};
	void *value = NULL;
	sem_init(&semaphore, 0, 0);
	pthread_t t = start(waits, (void *)3);
	SAY(pthread_tryjoin_np(t, &value));
	SAY(pthread_timedjoin_np(t, &value, &past));
	SAY(pthread_join(pthread_self(), NULL));
	SAY(pthread_kill(t, 0));
	SAY(pthread_kill(t, 4000));
	sem_post(&semaphore);
	SAY(pthread_join(t, &value));
	say("value", (long)value);
	t = start(returns, NULL);
	nap(50);
	SAY(pthread_kill(t, 0));
	SAY(pthread_detach(t));
	return 0;
}

static int c11_run(void *arg)
{
	return *(int *)arg + 1;
}

int thread_c11(void)
{
	struct timespec past = {1, 0};
	mtx_t plain, timed;
	cnd_t c;
	thrd_t t;
	int value = 41;
	mtx_init(&plain, mtx_plain);
	mtx_init(&timed, mtx_timed | mtx_recursive);
	cnd_init(&c);
	mtx_lock(&timed);
	say("recursive", mtx_timedlock(&timed, &past) == thrd_success);
	mtx_lock(&plain);
	say("busy", mtx_trylock(&plain) == thrd_busy);
	say("timed out", cnd_timedwait(&c, &plain, &past) == thrd_timedout);
	say("created", thrd_create(&t, c11_run, &value) == thrd_success);
	say("joined", thrd_join(t, &value) == thrd_success);
	say("value", value);
	return 0;
}

int thread_settings(void)
{
	char name[16];
	clockid_t clock;
	struct timespec used;
	cpu_set_t set, mine;
	int policy = -1;
	struct sched_param param = {.sched_priority = -1};
	SAY(pthread_setname_np(pthread_self(), "a name that is too long"));
	SAY(pthread_setname_np(pthread_self(), "guest"));
	SAY(pthread_getname_np(pthread_self(), name, sizeof(name)));
	puts(name);
	SAY(pthread_getcpuclockid(pthread_self(), &clock));
	SAY(clock_gettime(clock, &used));
	SAY(pthread_getschedparam(pthread_self(), &policy, &param));
	say("policy", policy);
	say("priority", param.sched_priority);
	sched_getaffinity(0, sizeof(set), &set);
	CPU_ZERO(&mine);
	CPU_SET(0, &mine);
	SAY(pthread_setaffinity_np(pthread_self(), sizeof(mine), &mine));
	say("processors", CPU_COUNT(&mine));
	say("gettid is getpid", gettid() == getpid());
	say("threads", sysconf(_SC_THREAD_KEYS_MAX));
	return 0;
}
