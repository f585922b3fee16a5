/* A thread locks a mutex that it holds, and waits for itself.
 * expect: mutex-misuse "double lock of a mutex"
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	return 0;
}
