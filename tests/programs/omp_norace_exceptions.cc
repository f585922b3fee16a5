/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions that are caught in the task, the iteration or the region they were thrown in.
 * verdict: race-free for this input on every schedule
 */
#include <stdexcept>

static int half(int n)
{
	if (n % 2)
		throw std::invalid_argument("odd");
	return n / 2;
}

int main()
{
	int odd = 0, even[10] = {0}, told = 0;
#pragma omp parallel for reduction(+ : odd)
	for (int i = 0; i < 10; i++)
		try {
			even[i] = half(i);
		} catch (const std::invalid_argument &) {
			odd++;
		}
#pragma omp parallel
#pragma omp single
	{
#pragma omp task shared(told)
		try {
#pragma omp task
			half(2);
#pragma omp taskwait
			half(3);
		} catch (...) {
			told = 1;
		}
	}
	return odd != 5 || even[8] != 4 || told != 1;
}
