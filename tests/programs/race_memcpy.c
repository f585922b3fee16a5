/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of constant size, which compilers would expand in place, meets a write.
 * found by: hb m2
 */
#include <pthread.h>
#include <string.h>

static char from[16], to[16];

static void *copy(void *arg)
{
	memcpy(to, from, sizeof(to));
	return arg;
}

static void *write_one(void *arg)
{
	from[9] = 1;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, copy, NULL);
	pthread_create(&t[1], NULL, write_one, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return to[0];
}
