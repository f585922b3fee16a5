/* SPDX-License-Identifier: Apache-2.0
 *
 * Two sections write one number.
 * race: x
 */
int x;

int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		x = 1;
#pragma omp section
		x = 2;
	}
	return 0;
}
