/* SPDX-License-Identifier: Apache-2.0
 *
 * A block is freed while another thread may still use it.
 * found by: hb
 */
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *use(void *arg)
{
	shared[1] = 5;
	return arg;
}

static void *end(void *arg)
{
	free(shared);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	shared = malloc(4 * sizeof(*shared));
	shared[1] = 0;
	pthread_create(&t[0], NULL, use, NULL);
	pthread_create(&t[1], NULL, end, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
