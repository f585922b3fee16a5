/* A thread has ended, and no thread joins it.
 * expect: thread-leak "thread leak"
 */
#include <pthread.h>
#include <unistd.h>

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, nothing, 0);
	usleep(10000);
	return 0;
}
