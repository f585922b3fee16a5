/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads open, read and close files.  Numbers of descriptors are used again, also after fclose,
 * which is not seen.  dup2 gives a descriptor another file while a thread reads it, which meets one
 * of the two.  No race.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *opens(void *unused)
{
	char some[8];
	for (int i = 0; i < 20; i++) {
		int fd = open("/etc/passwd", O_RDONLY);
		if (read(fd, some, 4) != 4)
			return (void *)1;
		close(fd);
	}
	return NULL;
}

static void *streams(void *unused)
{
	char some[8];
	for (int i = 0; i < 20; i++) {
		FILE *f = fopen("/etc/passwd", "r");
		if (read(fileno(f), some, 4) != 4)
			return (void *)1;
		fclose(f);
	}
	return NULL;
}

static int replaced;

static void *reads(void *unused)
{
	char some[4];
	return (void *)(long)(read(replaced, some, sizeof(some)) < 0);
}

static long replace(void)
{
	pthread_t t;
	void *result;
	replaced = open("/dev/zero", O_RDONLY);
	int other = open("/etc/passwd", O_RDONLY);
	pthread_create(&t, NULL, reads, NULL);
	if (dup2(other, replaced) < 0)
		return 1;
	pthread_join(t, &result);
	close(other);
	close(replaced);
	return (long)result;
}

int main(void)
{
	pthread_t t[4];
	long bad = 0;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? opens : streams, NULL);
	for (int i = 0; i < 4; i++) {
		void *result;
		pthread_join(t[i], &result);
		bad += (long)result;
	}
	return bad + replace() != 0;
}
