/* SPDX-License-Identifier: Apache-2.0
 *
 * Two static loops of the same length: the same thread has the same iterations, so that the first
 * need not be waited for.
 * verdict: race-free for this input on every schedule
 */
int a[40], b[40];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 40; i++)
			a[i] = i;
#pragma omp for schedule(static)
		for (int i = 0; i < 40; i++)
			b[i] = a[i];
	}
	return b[39] != 39;
}
