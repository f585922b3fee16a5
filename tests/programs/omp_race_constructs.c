/* SPDX-License-Identifier: Apache-2.0
 *
 * Constructs that order less than they seem to.
 * race: of_master
 * race: of_group
 * race: of_mutex
 * race: of_detached
 * race: of_private
 */
#include <omp.h>

int of_master, of_group, of_mutex, of_detached, of_private;
static int *known;
#pragma omp threadprivate(known)

int main(void)
{
	int a = 0, sum = 0;
	omp_event_handle_t event;
#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
#pragma omp master
		of_master = 1; /* no barrier at its end */
		sum += of_master;
	}
#pragma omp parallel num_threads(2) copyin(known)
#pragma omp single
	{
#pragma omp task
		of_group = 1; /* not of the group */
#pragma omp taskgroup
		{
#pragma omp task
			a++;
		}
		of_group = 2;
#pragma omp task depend(mutexinoutset : a)
		of_mutex = 1;
#pragma omp task depend(mutexinoutset : sum)
		of_mutex = 2; /* of another one */
#pragma omp taskwait
#pragma omp task detach(event)
		omp_fulfill_event(event);
#pragma omp task
		of_detached = 1; /* the event is of another task */
		of_detached = 2;
#pragma omp taskwait
	}
#pragma omp parallel num_threads(2)
	{
		known = &of_private; /* the pointer is each thread's own, but not that */
		*known = 3;
	}
	return a != 1;
}
