/* SPDX-License-Identifier: Apache-2.0
 *
 * Two critical sections of different names do not exclude each other.
 * race: count
 */
int count;

int main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
#pragma omp critical(one)
		count++;
#pragma omp section
#pragma omp critical(other)
		count++;
	}
	return 0;
}
