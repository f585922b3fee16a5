/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers, explicit and at the end of single and loops; copyprivate; master.
 * verdict: race-free for this input on every schedule
 */
int a[4], b[4], x, y;

int main(void)
{
#pragma omp parallel
	{
		int z;
#pragma omp single
		x = 1;
#pragma omp for
		for (int i = 0; i < 4; i++)
			a[i] = x + i;
#pragma omp for
		for (int i = 0; i < 4; i++)
			b[i] = a[3 - i];
#pragma omp master
		y = b[0];
#pragma omp barrier
#pragma omp single copyprivate(z)
		z = y;
		if (z != 4)
			__builtin_abort();
	}
	return y != 4;
}
