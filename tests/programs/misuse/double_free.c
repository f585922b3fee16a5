/* A block is freed twice.
 * expect: double-free "double free"
 */
#include <pthread.h>
#include <stdlib.h>

static void *volatile block;

static void *release(void *unused)
{
	free(block);
	return unused;
}

int main(void)
{
	pthread_t t;
	block = malloc(64);
	pthread_create(&t, 0, release, 0);
	pthread_join(t, 0);
	free(block);
	return 0;
}
