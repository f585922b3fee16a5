/* Guests whose threads or processes meet in queues, System V's objects and shared memory. */
#include "guest.h"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static char buffer[256];
static mqd_t queue;
static int passed;

static void *receives(void *unused)
{
	unsigned priority = 0;
	long n = mq_receive(queue, buffer, sizeof(buffer), &priority);
	return (void *)(n * 100 + priority + passed);
}

int queue_answers(void)
{
	struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 64};
	struct timespec past = {1, 0}, invalid = {1, -1};
	unsigned priority;
	char name[32];
	snprintf(name, sizeof(name), "/guest.%d", getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	say("opened", queue != (mqd_t)-1);
	pthread_t t = start(receives, NULL);
	nap(50);
	passed = 1000;
	SAY(mq_send(queue, "one", 3, 5));
	say("received", (long)end_of(t));
	SAY(mq_timedreceive(queue, buffer, sizeof(buffer), &priority, &past));
	SAY(mq_timedreceive(queue, buffer, sizeof(buffer), &priority, &invalid));
	SAY(mq_receive(queue, buffer, 3, &priority));
	SAY(mq_send(queue, buffer, 65, 1));
	SAY(mq_send(queue, "low", 3, 1));
	SAY(mq_send(queue, "high", 4, 2));
	SAY(mq_timedsend(queue, "full", 4, 3, &past));
	SAY(mq_receive(queue, buffer, sizeof(buffer), &priority));
	say("priority", priority);
	SAY(mq_close(queue));
	SAY(mq_unlink(name));
	SAY(mq_receive(queue, buffer, sizeof(buffer), &priority));
	return 0;
}

static int semaphores, messages;
static int value, handed;

struct message {
	long type;
	char text[8];
};

static void *posts_late(void *unused)
{
	struct sembuf up = {0, 1, 0};
	struct message m = {7, "message"};
	nap(30);
	semop(semaphores, &up, 1);
	nap(30);
	msgsnd(messages, &m, sizeof(m.text), 0);
	return unused;
}

/* System V: threads wait for each other in semop and msgrcv. */
int system_v(void)
{
	struct sembuf down = {0, -1, 0}, try_down = {0, -1, IPC_NOWAIT};
	struct message m;
	int memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	semaphores = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	messages = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	SAY(semop(semaphores, &try_down, 1));
	pthread_t t = start(posts_late, NULL);
	SAY(semop(semaphores, &down, 1));
	SAY(msgrcv(messages, &m, sizeof(m.text), 7, 0));
	puts(m.text);
	end_of(t);
	int *shared = shmat(memory, NULL, 0);
	*shared = 0;
	pid_t child = fork();
	if (child == 0) {
		*shared = 42;
		_exit(0);
	}
	child_end(child);
	say("shared", *shared);
	SAY(shmdt(shared));
	SAY(shmdt(shared));
	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	shmctl(memory, IPC_RMID, NULL);
	return 0;
}

static void *adds(void *unused)
{
	struct sembuf down = {0, -1, SEM_UNDO}, up = {0, 1, SEM_UNDO};
	for (int i = 0; i < 20; i++) {
		semop(semaphores, &down, 1);
		value++;
		semop(semaphores, &up, 1);
	}
	return unused;
}

static void *receives_and_takes(void *unused)
{
	struct message m;
	msgrcv(messages, &m, sizeof(m.text), 0, 0);
	return (void *)(long)handed;
}

/* What a message hands over is no race. */
int system_v_message(void)
{
	struct message m = {7, "message"};
	messages = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	pthread_t t = start(receives_and_takes, NULL);
	handed = 7;
	msgsnd(messages, &m, sizeof(m.text), 0);
	long got = (long)end_of(t);
	msgctl(messages, IPC_RMID, NULL);
	return (int)got;
}

int system_v_lock(void)
{
	semaphores = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	semctl(semaphores, 0, SETVAL, 1);
	pthread_t t = start(adds, NULL);
	adds(NULL);
	end_of(t);
	semctl(semaphores, 0, IPC_RMID);
	return value;
}

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	pthread_rwlock_t rwlock;
	pthread_spinlock_t spin;
	sem_t semaphore;
	int turn;
};

static void shared_init(struct shared *s)
{
	pthread_mutexattr_t m;
	pthread_condattr_t c;
	pthread_barrierattr_t b;
	pthread_rwlockattr_t r;
	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&m, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&s->mutex, &m);
	pthread_condattr_init(&c);
	pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&s->cond, &c);
	pthread_barrierattr_init(&b);
	pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&s->barrier, &b, 2);
	pthread_rwlockattr_init(&r);
	pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&s->rwlock, &r);
	pthread_spin_init(&s->spin, PTHREAD_PROCESS_SHARED);
	sem_init(&s->semaphore, 1, 0);
}

static void takes_turns(struct shared *s, int me)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&s->mutex);
		while (s->turn != me)
			pthread_cond_wait(&s->cond, &s->mutex);
		s->turn = !me;
		pthread_cond_signal(&s->cond);
		pthread_mutex_unlock(&s->mutex);
	}
	pthread_barrier_wait(&s->barrier);
}

/* Locks that two processes share, one of which dies with a lock. */
int shared_locks(void)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared_init(s);
	pthread_spin_lock(&s->spin);
	pid_t child = fork();
	if (child == 0) {
		SAY(pthread_spin_trylock(&s->spin));
		takes_turns(s, 1);
		pthread_spin_lock(&s->spin);
		sem_wait(&s->semaphore);
		pthread_rwlock_wrlock(&s->rwlock);
		pthread_rwlock_unlock(&s->rwlock);
		pthread_mutex_lock(&s->mutex);
		_exit(12);
	}
	takes_turns(s, 0);
	pthread_spin_unlock(&s->spin);
	pthread_rwlock_rdlock(&s->rwlock);
	sem_post(&s->semaphore);
	nap(20);
	pthread_rwlock_unlock(&s->rwlock);
	say_end("child", child_end(child));
	SAY(pthread_mutex_lock(&s->mutex));
	SAY(pthread_mutex_consistent(&s->mutex));
	SAY(pthread_mutex_unlock(&s->mutex));
	SAY(pthread_mutex_lock(&s->mutex));
	SAY(pthread_mutex_unlock(&s->mutex));
	return 0;
}
