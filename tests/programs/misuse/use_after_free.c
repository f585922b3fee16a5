/* A block is used after its end; pthread_join orders the two, so this is no race.
 * expect: use-after-free "heap-use-after-free"
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int *volatile block;

static void *release(void *unused)
{
	free(block);
	return unused;
}

static void *sleeps(void *unused)
{
	usleep(10000);
	return unused;
}

int main(void)
{
	pthread_t t, other; /* while `other` lives, main is not alone */
	block = malloc(64);
	*block = 1;
	pthread_create(&other, 0, sleeps, 0);
	pthread_create(&t, 0, release, 0);
	pthread_join(t, 0);
	*block = 2;
	pthread_join(other, 0);
	return 0;
}
