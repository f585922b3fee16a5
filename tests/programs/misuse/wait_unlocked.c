/* A thread waits for a condition with a mutex that it does not hold.
 * expect: mutex-misuse "wait for a condition without its locked mutex"
 */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int main(void)
{
	const struct timespec past = {0, 0};
	pthread_cond_timedwait(&c, &m, &past);
	return 0;
}
