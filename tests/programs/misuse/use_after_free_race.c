/* A block is used after its end, and nothing orders the two: one report.
 * expect: use-after-free
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int *block;

static void *release(void *unused)
{
	free(block);
	return unused;
}

static void *use(void *unused)
{
	usleep(10000);
	*block = 2;
	return unused;
}

int main(void)
{
	pthread_t t[2];
	block = malloc(64);
	pthread_create(&t[0], 0, release, 0);
	pthread_create(&t[1], 0, use, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
