/* The handler of a signal that meets a thread which ignores synchronisation orders as always; and
 * behind the end of the region the thread's locks count again.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter, data;
static atomic_int ready;

static void handler(int unused)
{
	data = unused;
	atomic_store_explicit(&ready, 1, memory_order_release);
}

static void *ignoring(void *unused)
{
	AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
	raise(SIGUSR1);
	AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t;
	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, ignoring, NULL);
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		;
	pthread_mutex_lock(&mutex);
	counter += data;
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
	return 0;
}
