/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions that are thrown and caught in a task, or an iteration, order nothing.
 * race: caught
 * race: thrown
 * race: unwound
 */
#include <stdexcept>

int caught, thrown, unwound;

struct guard {
	~guard()
	{
		unwound++;
	}
};

static void fail(int i)
{
	guard g;
	if (i >= 0)
		throw std::runtime_error("as expected");
}

int main()
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i)
			try {
				thrown = i;
				fail(i);
			} catch (const std::exception &e) {
				caught += e.what()[0] == 'a';
			}
		}
	}
	return 0;
}
