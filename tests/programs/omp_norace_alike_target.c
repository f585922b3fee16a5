/* SPDX-License-Identifier: Apache-2.0
 *
 * Each thread meets a target region and then a loop: all do the same, with arguments of their own.
 * verdict: race-free for this input on every schedule
 */
int out[3];

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int mine = 1;
#pragma omp target defaultmap(tofrom : scalar)
		mine++;
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 3; i++)
			out[i] = mine;
	}
	return out[0] != 2 || out[2] != 2;
}
