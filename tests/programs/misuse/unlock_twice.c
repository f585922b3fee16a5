/* A mutex is unlocked twice.
 * expect: mutex-misuse "unlock of an unlocked mutex (or by a wrong thread)"
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&m);
	return 0;
}
