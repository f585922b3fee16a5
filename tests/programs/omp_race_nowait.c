/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop that does not wait, and one that reads other elements than its iterations wrote.
 * race: a
 */
int a[16], b[16];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 16; i++)
			a[i] = i;
#pragma omp for schedule(static)
		for (int i = 0; i < 16; i++)
			b[i] = a[15 - i];
	}
	return b[0] > 15;
}
