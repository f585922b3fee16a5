/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that wait for a detached one, and for those that wait for it; a group, an undeferred task and a taskwait
 * that wait for them.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>
int x, y, z, w;
int main(void)
{
	omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task detach(event) depend(out : x)
		x = 1;
		for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout : x)
			x++;
		}
#pragma omp task depend(in : x) depend(out : y)
		y = x;
#pragma omp taskgroup
		{
#pragma omp task shared(event)
			{
				z = 1;
				omp_fulfill_event(event);
			}
#pragma omp task depend(in : y)
			w = y + z;
		}
#pragma omp task if (0) depend(in : y)
		w += y;
#pragma omp taskwait depend(in : x)
	}
	return w != 19;
}
