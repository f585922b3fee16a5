/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that exclude each other, after one and before another.
 * verdict: race-free
 */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
		for (int i = 0; i < 3; i++)
#pragma omp task depend(mutexinoutset : x)
			x += 2;
#pragma omp task depend(in : x)
		x *= 2;
	}
	return x != 14;
}
