/* A block grows where it lies, while another thread writes to it.
 * expect: race
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char *volatile block;

static void *use(void *at)
{
	usleep(10000);
	*(char *)at = 1;
	return 0;
}

int main(void)
{
	pthread_t t;
	char *old = block = malloc(100);
	pthread_create(&t, 0, use, old);
	block = realloc(old, 101);
	pthread_join(t, 0);
	free(block);
	return 0;
}
