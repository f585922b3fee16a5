/* SPDX-License-Identifier: Apache-2.0
 *
 * The first thread to arrive makes the table.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *table;

static void make(void)
{
	table = malloc(10 * sizeof(*table));
	for (int i = 0; i < 10; i++)
		table[i] = i;
}

static void *use(void *arg)
{
	pthread_once(&once, make);
	for (int i = 0; i < 10; i++)
		if (table[i] != i)
			abort();
	return arg;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, use, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
