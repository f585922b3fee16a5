/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterations that are in one task however a loop may be cut: five by grainsize(3), the first and the last two of
 * five by grainsize(2), all by num_tasks(1).
 * verdict: race-free for this input on every schedule
 */
int a, b[2], c;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(3)
		for (int i = 0; i < 5; i++)
			a++;
#pragma omp taskloop grainsize(2)
		for (int i = 0; i < 5; i++)
			if (i != 2)
				b[i / 3]++;
#pragma omp taskloop num_tasks(1)
		for (int i = 0; i < 5; i++)
			c++;
	}
	return a != 5 || b[0] != 2 || b[1] != 2 || c != 5;
}
