/* SPDX-License-Identifier: Apache-2.0
 *
 * More sections than threads: also those that one thread executes are parallel.  A section may
 * have sections of its own, and an iteration of a loop around.
 * race: global 'x'
 */
int x, y[6];

int main(void)
{
#pragma omp parallel num_threads(2)
	for (int k = 0; k < 2; k++) {
#pragma omp sections
		{
			if (k)
				x = 1;
#pragma omp section
			{
				x += k;
				const char *braces = "}{'";
				y[1] = *braces;
			}
#pragma omp section
#pragma omp parallel sections num_threads(2)
			{
#pragma omp section
				y[2] = '}';
#pragma omp section
				y[3] = 3;
#pragma omp section
				;
			}
#pragma omp section
			{
#pragma omp taskwait
			}
#pragma omp section
			y[5] = 5;
		}
	}
	return y[5] != 5 || y[3] != 3 || y[2] != '}';
}
