/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of detached tasks that threads fulfil which are none of OpenMP's: a taskwait and a barrier wait for them.
 * verdict: no race found, .*threads, which were not looked at
 */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

int x, y, z;

static void *outside(void *arg)
{
	usleep(1000);
	omp_fulfill_event(*(omp_event_handle_t *)arg);
	return NULL;
}

int main(void)
{
	pthread_t first, second;
#pragma omp parallel num_threads(2)
	{
		omp_event_handle_t event, later;
#pragma omp single
		{
#pragma omp task detach(event) depend(out : x)
			x = 1;
			pthread_create(&first, NULL, outside, &event);
#pragma omp task depend(in : x)
			y = x + 1;
#pragma omp taskwait
			y++;
#pragma omp task detach(later)
			z = 1;
			pthread_create(&second, NULL, outside, &later);
		}
#pragma omp single
		z++;
	}
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return x != 1 || y != 3 || z != 2;
}
