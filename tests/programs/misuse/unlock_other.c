/* A thread unlocks a mutex that another one has locked.
 * expect: mutex-misuse "unlock of an unlocked mutex (or by a wrong thread)"
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *unlock(void *unused)
{
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	pthread_create(&t, 0, unlock, 0);
	pthread_join(t, 0);
	return 0;
}
