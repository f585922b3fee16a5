/* SPDX-License-Identifier: Apache-2.0
 *
 * The function of pthread_once has run before any thread continues behind the call.
 * verdict: no race found, but other schedules may have one: the order of atomic accesses to once matters
 */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, a[40];

static void make(void)
{
	made = 7;
}

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 40; i++) {
		pthread_once(&once, make);
		a[i] = made;
	}
	return a[39] != 7;
}
