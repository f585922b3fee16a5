/* SPDX-License-Identifier: Apache-2.0
 *
 * Double-checked locking as it should not be: the first look at the pointer is a plain read.
 * found by: hb m2
 */
#include <pthread.h>
#include <stdlib.h>

struct config {
	int a, b;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct config *config;

static struct config *get(void)
{
	if (!config) {
		pthread_mutex_lock(&mutex);
		if (!config) {
			struct config *c = malloc(sizeof(*c));
			*c = (struct config){1, 2};
			config = c;
		}
		pthread_mutex_unlock(&mutex);
	}
	return config;
}

static void *run(void *arg)
{
	return get()->a + get()->b == 3 ? NULL : arg;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, t);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
