/* One thread initialises a mutex while another one locks it.
 * expect: race
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m;

static void *init(void *unused)
{
	pthread_mutex_init(&m, 0);
	return unused;
}

static void *use(void *unused)
{
	usleep(1000);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, init, 0);
	pthread_create(&t[1], 0, use, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
