/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of its own that have the names of functions of the C library.
 */
#include <pthread.h>

int read(const int *from, int n);
void write(int *to, int value);
int accept(int value);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total[2];

int read(const int *from, int n)
{
	return n ? from[n - 1] + read(from, n - 1) : 0;
}

void write(int *to, int value)
{
	*to = value;
}

int accept(int value)
{
	return value < 3;
}

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; accept(i); i++)
		write(&total[1], read(total, 2) + 1);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return read(total, 2) != 6;
}
