/* SPDX-License-Identifier: Apache-2.0
 *
 * A task is over when its event is fulfilled, by another task.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>

int x, y;

int main(void)
{
	omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task detach(event) depend(out : y)
		y = 1;
#pragma omp task firstprivate(event)
		{
			x = 1;
			omp_fulfill_event(event);
		}
#pragma omp task depend(in : y)
		x += y;
	}
	return x != 2;
}
