/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterations of simd loops that meet, but in lockstep come one after the other: what is before in the text.
 * verdict: race-free for this input on every schedule
 */
enum { N = 64 };
int a[N + 1], b[N + 1], c[N + 1], sum;

static void add(int *to, int value)
{
	*to += value;
}

int main(void)
{
	int i, j;
#pragma omp simd
	for (i = 0; i < N; i++)
		a[i] = a[i + 1] + 1; /* read before it is written */
#pragma omp simd
	for (i = 0; i < N; i++) {
		int next = a[i + 1];
		if (next % 2) {
			b[i] = next;
		} else
			b[i] = 1;
		a[i] = b[i];
	}
#pragma omp simd private(j) collapse(2)
	for (i = 0; i < 4; i++)
		for (j = 0; j < 4; j++) {
			b[4 * i + j] = i;
			do
				c[4 * i + j]++;
			while (c[4 * i + j] < 3);
			if (i + j == 7)
				continue;
			{
				a[4 * i + j] = 4 * i + j ? b[4 * i + j - 1] : 0; ;
			}
			for (int k = 0; k < 2; k++)
				add(&c[4 * i + j], b[4 * i + j]);
		}
#pragma omp simd safelen(4)
	for (i = 0; i < N - 4; i++)
		a[i + 4] = a[i];
#pragma omp simd reduction(+ : sum)
	for (i = 0; i < N; i++) { b[i] = a[i]; if (i > 0) { c[i] = b[i - 1]; } sum += c[i]; }
	return sum < 0;
}
