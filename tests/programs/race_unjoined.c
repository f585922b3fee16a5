/* Two threads that are not joined: main returns before they have run.
 * found by: hb
 */
#include <pthread.h>

static int shared;

static void *run(void *unused)
{
	shared++;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	pthread_create(&t, 0, run, 0);
	return 0;
}
