/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of C11.
 */
#include <stdlib.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static int turn, made, sum;

static void make(void)
{
	made = 1;
}

static int work(void *arg)
{
	int me = (int)(long)arg;
	call_once(&once, make);
	if (!made)
		abort();
	for (int i = 0; i < 10; i++) {
		mtx_lock(&m);
		while (turn != me)
			cnd_wait(&c, &m);
		sum += me;
		turn = 1 - turn;
		cnd_broadcast(&c);
		mtx_unlock(&m);
	}
	return me + 5;
}

int main(void)
{
	thrd_t t[2];
	int result[2];
	mtx_init(&m, mtx_plain);
	cnd_init(&c);
	for (long i = 0; i < 2; i++)
		if (thrd_create(&t[i], work, (void *)i) != thrd_success)
			return 1;
	for (int i = 0; i < 2; i++)
		thrd_join(t[i], &result[i]);
	mtx_destroy(&m);
	cnd_destroy(&c);
	return sum != 10 || result[0] != 5 || result[1] != 6;
}
