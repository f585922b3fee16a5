/* SPDX-License-Identifier: Apache-2.0
 *
 * Only the children of a task are waited for by taskwait, not theirs.
 * race: x
 */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp task
			x = 1;
		}
#pragma omp taskwait
		x = 2;
	}
	return 0;
}
