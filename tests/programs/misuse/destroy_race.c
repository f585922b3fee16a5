/* One thread destroys a mutex that another one has used, and nothing orders the two.
 * expect: race
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m;

static void *use(void *unused)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_init(&m, 0);
	pthread_create(&t, 0, use, 0);
	usleep(1000);
	pthread_mutex_destroy(&m);
	pthread_join(t, 0);
	return 0;
}
