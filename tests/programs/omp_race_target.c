/* SPDX-License-Identifier: Apache-2.0
 *
 * Target regions that no thread waits for, outside of parallel regions and inside of one of one thread.
 * race: beside
 * race: independent
 * race: of_data
 * race: before_group
 * race: serial
 * race: of_task
 */
int beside, independent, of_data, before_group, serial, of_task, a, b;

int main(void)
{
#pragma omp target nowait map(tofrom : beside)
	beside = 1;
	beside = 2;
#pragma omp taskwait
#pragma omp target nowait depend(out : a) map(tofrom : independent)
	independent = 1;
#pragma omp target nowait depend(out : b) map(tofrom : independent)
	independent = 2; /* of another one */
#pragma omp taskwait
#pragma omp target nowait depend(out : a) map(tofrom : of_data)
	of_data = 1;
#pragma omp target update from(of_data) depend(in : a) depend(out : b) nowait
	of_data++; /* only the update waits */
#pragma omp taskwait
#pragma omp target nowait map(tofrom : before_group)
	before_group = 1;
#pragma omp taskgroup
	{
#pragma omp target nowait map(tofrom : a)
		a = 1;
	}
	before_group = 2;
#pragma omp taskwait
#pragma omp parallel num_threads(1)
	{
#pragma omp target nowait map(tofrom : serial)
		serial = 1;
		serial = 2;
#pragma omp target nowait map(tofrom : of_task)
		of_task = 1;
#pragma omp task shared(of_task)
		of_task = 2; /* part of the thread, but not of the other task */
	}
	return 0;
}
