/* SPDX-License-Identifier: Apache-2.0
 *
 * A region of one thread, in an iteration, that does not wait for a target region before its loop: what is on its stack
 * is new to the next iteration all the same.
 * verdict: race-free for this input on every schedule
 */
int a[6][2];

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 6; i++) {
#pragma omp parallel num_threads(1)
		{
#pragma omp target nowait map(tofrom : a) firstprivate(i)
			a[i][0] = 1;
			int local[2] = {i, i};
#pragma omp for
			for (int k = 0; k < 2; k++)
				local[k]++;
			a[i][1] = local[1];
		}
	}
	return 0;
}
