/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of two iterations are siblings only if one thread has both.
 * race: a
 */
int a[3], d;

int main(void)
{
#pragma omp parallel for ordered
	for (int i = 0; i < 3; i++) {
		int seen = a[2];
#pragma omp task depend(inout : d)
		;
#pragma omp taskwait
		a[i] += seen;
	}
	return 0;
}
