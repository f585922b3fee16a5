/* A thread ends while its accesses are ignored: the program lacks a call of AnnotateIgnoreReadsEnd.
 *
 * expect: annotation-misuse "thread T1 finished with ignores enabled"
 */
#include <pthread.h>
#include <stddef.h>

void AnnotateIgnoreReadsBegin(const char *file, int line);

static void *reader(void *unused)
{
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, reader, NULL);
	pthread_join(t, NULL);
	return 0;
}
