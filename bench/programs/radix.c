/* SPDX-License-Identifier: Apache-2.0
 *
 * radix.c - integers sorted digit by digit, as Splash's radix
 *
 * Threads count the digits of their keys, one sums up the counts, and each moves its keys to
 * their places, which lie anywhere.
 */
#include "program.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 24 };

static unsigned *from, *to;
static unsigned (*place)[DIGITS]; /* of a thread: counts, then where its next key goes */
static pthread_barrier_t barrier;

static void places_find(void)
{
	unsigned sum = 0;
	for (int digit = 0; digit < DIGITS; digit++)
		for (int t = 0; t < nthreads; t++) {
			unsigned count = place[t][digit];
			place[t][digit] = sum;
			sum += count;
		}
}

static void keys_swap(void)
{
	unsigned *t = from;
	from = to;
	to = t;
}

static void *keys(void *arg)
{
	int me = (int)(long)arg, first = program_share(n, me), end = program_share(n, me + 1);
	for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
		for (int digit = 0; digit < DIGITS; digit++)
			place[me][digit] = 0;
		for (int i = first; i < end; i++)
			place[me][from[i] >> shift & (DIGITS - 1)]++;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			places_find();
		pthread_barrier_wait(&barrier);
		for (int i = first; i < end; i++)
			to[place[me][from[i] >> shift & (DIGITS - 1)]++] = from[i];
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			keys_swap();
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 1 << 21);
	unsigned state = 1, sum = 0;
	from = program_array((size_t)n, sizeof(*from));
	to = program_array((size_t)n, sizeof(*to));
	place = program_array((size_t)nthreads, sizeof(*place));
	for (int i = 0; i < n; i++)
		sum += from[i] = program_random(&state);
	pthread_barrier_init(&barrier, NULL, (unsigned)nthreads);
	program_threads(keys);

	bool is_right = true;
	for (int i = 0; i < n; i++) {
		is_right = is_right && (i == 0 || from[i - 1] <= from[i]);
		sum -= from[i];
	}
	return program_end(is_right && sum == 0);
}
