/* main joins a thread while it holds the robust mutex that the thread held when it ended.  The lock
 * that gets EOWNERDEAD comes after that end, so no schedule has the two wait for each other.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex;

static void *owner(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

int main(void)
{
	pthread_mutexattr_t robust;
	pthread_t t;
	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &robust);
	pthread_create(&t, NULL, owner, NULL);
	usleep(100000); /* mostly enough for the thread to end */
	if (pthread_mutex_lock(&mutex) != EOWNERDEAD)
		return 0;
	pthread_join(t, NULL);
	return 0;
}
