/* SPDX-License-Identifier: Apache-2.0
 *
 * A single that resets the sum and does not wait: another thread may have added its part before, as in
 * the CG program of the NAS benchmarks.
 * race: total
 */
double total, a[64];

int main(void)
{
#pragma omp parallel num_threads(4)
	for (int k = 0; k < 4; k++) {
#pragma omp single nowait
		total = 0;
#pragma omp for nowait
		for (int i = 0; i < 64; i++)
			a[i] = i;
#pragma omp for reduction(+ : total)
		for (int i = 0; i < 64; i++)
			total += a[i];
	}
	return 0;
}
