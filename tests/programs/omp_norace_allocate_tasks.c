/* SPDX-License-Identifier: Apache-2.0
 *
 * Private copies on the heap that tasks of an iteration have touched, which it waits for: the next iteration has them
 * too, or another copy; and the thread combines or copies what they are in the end, and frees them.
 * verdict: race-free for this input on every schedule
 */
int sum, last, x[8];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for reduction(+ : sum) allocate(sum)
		for (int i = 0; i < 8; i++) {
#pragma omp task shared(sum)
			sum++;
#pragma omp taskwait
		}
#pragma omp sections lastprivate(last) allocate(last)
		{
#pragma omp section
			{
				last = 1;
#pragma omp task shared(x)
				x[0] = 1;
				last++;
			}
#pragma omp section
			last = 2;
		}
	}
#pragma omp parallel num_threads(2) reduction(+ : sum) allocate(sum)
	{
#pragma omp task shared(sum)
		sum++;
#pragma omp taskwait
	}
	return sum != 10 || last != 2;
}
