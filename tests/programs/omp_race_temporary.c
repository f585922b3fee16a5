/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of a function that the threads of its region share by mistake: a temporary, a maximum, an array.
 * race: stack of task 0, called 'half' in the source
 * race: stack of task 0, called 'most' in the source
 * race: stack of task 0, called 'sums' in the source
 */
enum { N = 40 };

int x[N], y[N];

int main(void)
{
	volatile int half, most = 0,
			   sums[N + 1] = {0}; /* so that compilers leave them where they are */
	for (int i = 0; i < N; i++)
		x[i] = i;
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		half = x[i] / 2;
		y[i] = half * half;
		if (y[i] > most)
			most = y[i];
		sums[i + 1] = sums[i] + y[i];
	}
	return most < 0;
}
