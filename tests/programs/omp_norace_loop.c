/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops of all schedules, collapsed, with private, firstprivate and lastprivate variables.
 * verdict: race-free for this input on every schedule
 */
int a[8][8], b[100];

int main(void)
{
	int last = -1, factor = 2, scratch;
#pragma omp parallel for collapse(2)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i][j] = i * j;
#pragma omp parallel for schedule(static, 8) firstprivate(factor) private(scratch) lastprivate(last)
	for (int i = 0; i < 100; i++) {
		scratch = factor * i;
		b[i] = scratch;
		last = i;
	}
#pragma omp parallel for schedule(dynamic)
	for (unsigned long i = 0; i < 100; i++)
		b[i]++;
#pragma omp parallel for schedule(guided, 3)
	for (long long i = 99; i >= 0; i -= 3)
		b[i]++;
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < 100; i++)
		b[i]++;
	return last != 99 || b[99] != 201 || b[98] != 198 || a[7][7] != 49;
}
