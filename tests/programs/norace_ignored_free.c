/* A free among ignored writes is ignored, too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static int *block;
static atomic_int has_read;

static void *run(void *unused)
{
	if (block[0] != 0)
		_exit(1);
	atomic_store_explicit(&has_read, 1, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t t;
	block = calloc(4, sizeof(*block));
	pthread_create(&t, 0, run, 0);
	while (!atomic_load_explicit(&has_read, memory_order_relaxed))
		;
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	free(block);
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	pthread_join(t, 0);
	return 0;
}
