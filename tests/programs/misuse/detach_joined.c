/* main detaches a thread that it has joined.
 *
 * expect: thread-misuse "join or detach of a thread that is not joinable"
 */
#include <pthread.h>
#include <stddef.h>

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	pthread_detach(t);
	return 0;
}
