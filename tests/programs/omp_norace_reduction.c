/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions: of a region, of a loop, of sections, of an array.
 * verdict: race-free for this input on every schedule
 */
int main(void)
{
	int sum = 0, n = 0, product = 1, each[3] = {0};
#pragma omp parallel reduction(+ : n) num_threads(3)
	{
		n++;
#pragma omp for reduction(+ : sum, each)
		for (int i = 0; i < 30; i++) {
			sum += i;
			each[i % 3]++;
		}
#pragma omp sections reduction(* : product)
		{
#pragma omp section
			product *= 2;
#pragma omp section
			product *= 3;
		}
	}
	return n != 3 || sum != 435 || product != 6 || each[2] != 10;
}
