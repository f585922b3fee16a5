/* A mutex is locked after its end; the C library says EINVAL.
 * expect: mutex-misuse "use of an invalid mutex (e.g. uninitialized or destroyed)"
 */
#include <errno.h>
#include <pthread.h>

int main(void)
{
	pthread_mutex_t m;
	pthread_mutex_init(&m, 0);
	pthread_mutex_destroy(&m);
	return pthread_mutex_lock(&m) == EINVAL ? 0 : 1;
}
