/* SPDX-License-Identifier: Apache-2.0
 *
 * More iterations may run at once than the distance of the dependence allows.
 * race: a
 */
int a[64];

int main(void)
{
	int i;
#pragma omp simd safelen(4)
	for (i = 2; i < 64; i++)
		a[i] = a[i - 2] + 1;
	return i != 64 || a[63] != 31;
}
