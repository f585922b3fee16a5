/* SPDX-License-Identifier: Apache-2.0
 *
 * What is behind the ordered region is not ordered.
 * race: last
 */
int last, sum;

int main(void)
{
#pragma omp parallel for ordered
	for (int i = 0; i < 10; i++) {
#pragma omp ordered
		sum += i;
		last = i;
	}
	return sum != 45;
}
