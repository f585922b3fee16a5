/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tasks that only read do not depend on each other.
 * race: out
 */
int in, out;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : in)
		in = 1;
#pragma omp task depend(in : in)
		out = in;
#pragma omp task depend(in : in)
		out = in + 1;
	}
	return 0;
}
