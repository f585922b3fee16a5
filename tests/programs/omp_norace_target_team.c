/* SPDX-License-Identifier: Apache-2.0
 *
 * Who runs a target region is alone in a team of its own: what binds to the innermost team does so to that one.  (clang
 * calls the region as a function, so that it is part of the team around it there.)
 * verdict: race-free for this input on every schedule
 */
int met[4], n;

int main(void)
{
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 4; i++) {
#pragma omp target map(tofrom : met)
		{
#ifndef __clang__
#pragma omp single
#endif
			met[i]++;
		}
	}
#ifndef __clang__
#pragma omp parallel num_threads(4) reduction(+ : n)
#pragma omp target map(tofrom : n)
	{
#pragma omp for
		for (int i = 0; i < 4; i++)
			n++;
	}
	if (n != 16)
		return 1;
#endif
	return met[0] + met[1] + met[2] + met[3] != 4;
}
