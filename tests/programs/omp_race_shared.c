/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads add to one number.
 * race: total
 */
int total;

int main(void)
{
#pragma omp parallel
	total++;
	return 0;
}
