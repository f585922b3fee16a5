/* SPDX-License-Identifier: Apache-2.0
 * A promise that is set too early: what comes after the set races with what comes after the get.
 * race: late
 */
#include <snag/task.h>
#include <stdlib.h>

static struct snag_promise is_there;
static int early, late;

int main(void)
{
	int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(sum)
		{
			snag_promise_get(&is_there);
			sum = early + late;
		}
#pragma omp task
		{
			early = 1;
			snag_promise_set(&is_there, NULL);
			late = 1;
		}
	}
	return sum < 1;
}
