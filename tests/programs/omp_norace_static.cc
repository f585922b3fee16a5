/* SPDX-License-Identifier: Apache-2.0
 *
 * The first thread initialises a static variable of a function; the others find it initialised.
 * verdict: no race found, but other schedules may have one: the order of atomic accesses to guard variable for made()::m matters
 */
#include <vector>

static const std::vector<int> &made()
{
	static const std::vector<int> m(8, 7);
	return m;
}

int a[40];

int main()
{
#pragma omp parallel for
	for (int i = 0; i < 40; i++)
		a[i] = made()[i % 8];
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 40; i++)
#pragma omp task
		a[i] += made()[0];
	return a[39] != 14;
}
