/* SPDX-License-Identifier: Apache-2.0
 *
 * A dependence as far as safelen allows; a reduction; the variable of the loop afterwards.
 * verdict: race-free for this input on every schedule
 */
int a[64];

int main(void)
{
	int i, sum = 0;
#pragma omp simd safelen(2)
	for (i = 2; i < 64; i++)
		a[i] = a[i - 2] + 1;
#pragma omp simd reduction(+ : sum)
	for (int k = 0; k < 64; k++)
		sum += a[k];
	return i != 64 || a[63] != 31 || sum != 992;
}
