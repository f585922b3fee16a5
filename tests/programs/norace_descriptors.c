/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads open, read and close files.  Numbers of descriptors are used again, also after fclose,
 * which is not seen.  No race.
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
	return bad != 0;
}
