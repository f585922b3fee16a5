/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread takes two locks in both orders, and 70 at once: neither is a fault.
 */
#include <pthread.h>

enum { LOCKS = 70 };

static pthread_mutex_t m[LOCKS];

int main(void)
{
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&m[i], NULL);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m[i]);
		pthread_mutex_lock(&m[1 - i]);
		pthread_mutex_unlock(&m[1 - i]);
		pthread_mutex_unlock(&m[i]);
	}
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_lock(&m[i]);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_unlock(&m[i]);
	return 0;
}
