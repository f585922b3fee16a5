/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors that threads fill for themselves, a reduction of vectors, exceptions inside tasks, and in handlers
 * that wait for tasks.
 * verdict: \(no race found\|race-free\)
 */
#include <stdexcept>
#include <vector>

#pragma omp declare reduction(append                                                              \
			      : std::vector <int>                                                 \
			      : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

static void fail_if(bool is_bad)
{
	if (is_bad)
		throw std::runtime_error("bad");
}

/* The exception of a handler is its task's own, whatever tasks throw that it waits for. */
static void deep(int n, int *rethrown)
{
	try {
		fail_if(true);
	} catch (const std::runtime_error &) {
		int below = 0;
		if (n > 0) {
#pragma omp task shared(below)
			deep(n - 1, &below);
#pragma omp taskwait
		}
		try {
			throw;
		} catch (const std::exception &) {
			*rethrown = below + 1;
		}
	}
}

int main()
{
	std::vector<int> all, reduced;
	int caught = 0;
#pragma omp parallel
	{
		std::vector<int> mine;
#pragma omp for nowait
		for (int i = 0; i < 200; i++)
			mine.push_back(i);
#pragma omp critical
		all.insert(all.end(), mine.begin(), mine.end());
	}
#pragma omp parallel for reduction(append : reduced)
	for (int i = 0; i < 100; i++)
		reduced.push_back(i);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 10; i++) {
#pragma omp task shared(caught)
		try {
			fail_if(i % 2);
		} catch (const std::runtime_error &) {
#pragma omp atomic
			caught++;
		}
	}
	int rethrown = 0;
#pragma omp parallel
#pragma omp single
	deep(20, &rethrown);
	return rethrown != 21 || all.size() != 200 || reduced.size() != 100 || caught != 5;
}
