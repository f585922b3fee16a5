/* SPDX-License-Identifier: Apache-2.0
 *
 * Sections with private variables of every kind, a reduction, and cancellation that is off.
 * verdict: race-free for this input on every schedule
 */
int a[5];

int main(void)
{
	int p = 1, f = 2, last = 0, sum = 0;
#pragma omp parallel sections private(p) firstprivate(f) lastprivate(last) reduction(+ : sum)
	{
		p = a[0] = f++, last = 0, sum += p;
#pragma omp section
		{
			p = a[1] = f++;
			last = 1;
			sum += p;
#pragma omp cancel sections
		}
#pragma omp section
		{
			for (p = 0; p < 3; p++) {
				if (p == 1)
					continue;
				sum += p;
			}
			last = 2;
		}
	}
	return last != 2 || sum != 6 || p != 1 || f != 2;
}
