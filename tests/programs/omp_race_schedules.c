/* SPDX-License-Identifier: Apache-2.0
 *
 * The last iteration of one chunk and the first of the next, with each schedule that has chunks.
 * race: a
 */
int a[3][64];

int main(void)
{
#pragma omp parallel for schedule(static, 4)
	for (int i = 1; i < 64; i++)
		a[0][i] = a[0][i - 1];
#pragma omp parallel for schedule(dynamic, 4)
	for (int i = 1; i < 64; i++)
		a[1][i] = a[1][i - 1];
#pragma omp parallel for schedule(guided)
	for (long i = 63; i > 0; i--)
		a[2][i] = a[2][i - 1];
	return 0;
}
