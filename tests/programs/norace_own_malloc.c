/* An allocator of the program's own: when it is first called, before main, it takes a lock, reads a
 * file and maps memory.
 * flags: -fno-builtin
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARENA = 1 << 26, ALIGN = 16, THREADS = 2, BLOCKS = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, counter_lock = PTHREAD_MUTEX_INITIALIZER;
static char *next;
static int counter;

static void arena_begin(void)
{
	char name[64];
	int fd = open("/proc/self/comm", O_RDONLY);
	if (fd < 0 || read(fd, name, sizeof(name)) <= 0)
		_exit(1);
	close(fd);
	next = mmap(0, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *malloc(size_t n)
{
	pthread_mutex_lock(&lock);
	if (!next)
		arena_begin();
	size_t *block = (size_t *)next;
	next += ALIGN + (n + ALIGN - 1) / ALIGN * ALIGN;
	pthread_mutex_unlock(&lock);
	*block = n;
	return (char *)block + ALIGN;
}

void free(void *p)
{
}

void *calloc(size_t n, size_t each)
{
	void *p = malloc(n * each);
	memset(p, 0, n * each);
	return p;
}

void *realloc(void *p, size_t n)
{
	void *grown = malloc(n);
	size_t old = p ? *(size_t *)((char *)p - ALIGN) : 0;
	memcpy(grown, p, old < n ? old : n);
	return grown;
}

static void *run(void *unused)
{
	for (int i = 0; i < BLOCKS; i++) {
		char *p = realloc(calloc(10, 10), 200);
		pthread_mutex_lock(&counter_lock);
		counter += p[50] + 1;
		pthread_mutex_unlock(&counter_lock);
		free(p);
	}
	return unused;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	return counter != THREADS * BLOCKS;
}
