/* realloc fails, and the block next to the one that it was to enlarge is what it was.
 *
 * found by: hb shb m2
 */
#include <pthread.h>
#include <stdlib.h>

static int *block, *next;

static void *worker(void *arg)
{
	*next = 1;
	return arg;
}

int main(void)
{
	volatile size_t more = (size_t)1 << 60;
	pthread_t thread;
	block = malloc(64);
	next = malloc(64);
	pthread_create(&thread, NULL, worker, NULL);
	for (int i = 0; i < 100; i++)
		if (realloc(block, more))
			return 1;
	*next = 2;
	pthread_join(thread, NULL);
	return 0;
}
