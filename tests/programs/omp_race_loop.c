/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop whose iterations need the one before; whatever the schedule is.
 * race: a
 */
int a[64];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 63; i++)
		a[i] = a[i + 1] + 1;
	return 0;
}
