/* One thread asks that its locks order nothing: what they guard is a race.  A rwlock and an atomic
 * likewise.
 *
 * found by: hb m2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int counter;

static void *ignoring(void *unused)
{
	AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
	pthread_rwlock_rdlock(&rwlock);
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_unlock(&rwlock);
	AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, ignoring, NULL);
	pthread_rwlock_wrlock(&rwlock);
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_unlock(&rwlock);
	pthread_join(t, NULL);
	return 0;
}
