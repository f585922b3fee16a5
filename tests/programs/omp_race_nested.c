/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of two inner teams.
 * race: x
 */
int x;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		{
#pragma omp master
			x++;
		}
	}
	return 0;
}
