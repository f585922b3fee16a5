/* SPDX-License-Identifier: Apache-2.0
 *
 * A team has memory of its own before, in and after its part of a loop.
 * verdict: race-free for this input on every schedule
 */
#include <stdlib.h>

enum { N = 40 };

int a[N];

int main(void)
{
#pragma omp teams num_teams(2)
	{
		int *p = malloc(N * sizeof(*p)), n = 0;
		for (int i = 0; i < N; i++)
			p[i] = i;
#pragma omp distribute
		for (int i = 0; i < N; i++)
			n += p[i];
#pragma omp distribute parallel for
		for (int i = 0; i < N; i++) {
			a[i] = p[i];
			p[i] = n;
		}
		p[0] += n;
		free(p);
	}
	return a[N - 1] != N - 1;
}
