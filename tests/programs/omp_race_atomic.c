/* SPDX-License-Identifier: Apache-2.0
 *
 * An atomic update, and a plain read.
 * race: x
 */
int x;

int main(void)
{
	int seen = 0;
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
#pragma omp atomic
			x++;
		}
#pragma omp section
		seen = x;
	}
	return seen > 1;
}
