/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads write neighbouring bytes, halves and words of one cell.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static struct {
	uint8_t a, b;
	uint16_t c;
	uint32_t d;
} s;
static char text[64];

static void *a(void *arg)
{
	s.a = 1;
	s.c = 2;
	memset(text, 'a', 13);
	return arg;
}

static void *b(void *arg)
{
	s.b = 3;
	s.d = 4;
	memcpy(text + 13, "bcdefghijklmnop", 15);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, a, NULL);
	pthread_create(&t[1], NULL, b, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return s.a + s.b + s.c + (int)s.d != 10 || text[12] != 'a' || text[13] != 'b';
}
