/* Races on bytes of which the program says that they are benign.
 */
#include <pthread.h>
#include <stdlib.h>

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, size_t n,
			     const char *why);

static struct {
	long other, counter;
} global;
static int *block;

static void *count(void *unused)
{
	global.counter++;
	block[1]++;
	return unused;
}

int main(void)
{
	pthread_t t[2];
	block = calloc(4, sizeof(*block));
	AnnotateBenignRaceSized(__FILE__, __LINE__, &global.counter, sizeof(global.counter),
				"statistics");
	AnnotateBenignRaceSized(__FILE__, __LINE__, &block[1], sizeof(int), "statistics");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, count, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	free(block);
	return 0;
}
