/* A read-write lock is unlocked by a thread that does not hold it.
 * expect: mutex-misuse "unlock of an unlocked mutex (or by a wrong thread)"
 */
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
	pthread_rwlock_unlock(&l);
	return 0;
}
