/* SPDX-License-Identifier: Apache-2.0
 *
 * Clauses and directives that change nothing for the order of accesses, and target on the host.
 * verdict: race-free for this input on every schedule
 */
int a[100], b[100], done[4];

int main(void)
{
	int sum = 0, last = 0;
#pragma omp parallel for schedule(auto) linear(last : 1)
	for (int i = 0; i < 100; i++) {
		a[i] = i;
		last = last + 1;
	}
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task priority(i) mergeable firstprivate(i)
		{
			done[i] = 1;
#pragma omp flush
#pragma omp taskyield
			done[i]++;
		}
	}
#pragma omp target map(tofrom : b) map(to : a)
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		b[i] = a[i] + 1;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
	for (int i = 0; i < 100; i++)
		sum += b[i];
	return sum != 5050 || last != 100 || done[0] + done[1] + done[2] + done[3] != 8;
}
