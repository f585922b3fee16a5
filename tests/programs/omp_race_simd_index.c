/* SPDX-License-Identifier: Apache-2.0
 *
 * The index of a simd loop is linear: each thread writes its last value to the variable j that all
 * share (OpenMP 5.1, 2.21.1.1 and 2.21.4.6).  The array, of which each thread has a copy, does not
 * race.
 * race: j
 */
int j, sum[16];

int main(void)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 20; i++) {
#pragma omp simd
		for (j = 0; j < 16; j++)
			sum[j]++;
	}
	return sum[1] != 20;
}
