/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterations of simd loops that meet where lockstep does not help.
 * race: backward
 * race: late
 * race: same
 * race: near
 * race: jumped
 */
enum { N = 64 };
int a[N + 1], backward[N + 1], late[N + 1], same[4], near[N + 1], jumped[N + 1];

int main(void)
{
#pragma omp simd
	for (int i = 0; i < N; i++)
		backward[i + 1] = backward[i] + 1;
#pragma omp simd
	for (int i = 0; i < N; i++) {
		a[i] = i > 0 ? late[i - 1] : 0; /* of the iteration before, but further down in the text */
		late[i] = i;
	}
#pragma omp simd
	for (int i = 0; i < N; i++) {
		a[i] = i;
		same[i % 4] = a[i];
	}
#pragma omp simd safelen(4)
	for (int i = 0; i < 8; i++) {
		a[i] = i;
		if (i == 3 || i == 4) /* not in one block of four */
			near[0] = a[i];
	}
#pragma omp simd
	for (int i = 0; i < N; i++) {
		a[i] = i;
		if (i % 2)
			continue;
		a[i]++;
		jumped[i] = jumped[i > 1 ? i - 2 : i];
	}
	return 0;
}
