/* SPDX-License-Identifier: Apache-2.0
 *
 * Who comes last cleans up: tasks that share a pointer, one of which deletes the object, and a loop
 * whose last iteration, by a counter that reaches 0, looks at what the others did.
 * verdict: no race found, .*order of atomic accesses
 */
#include <atomic>
#include <memory>

struct thing {
	int value = 3;
	~thing()
	{
		value = 0;
	}
};

static int seen[300], part[8], total;
static std::atomic<int> left{8};

int main()
{
#pragma omp parallel
#pragma omp single
	{
		auto shared = std::make_shared<thing>();
		for (int i = 0; i < 300; i++) {
#pragma omp task firstprivate(shared, i)
			seen[i] = shared->value;
		}
	}
#pragma omp parallel for
	for (int i = 0; i < 8; i++) {
		part[i] = i;
		if (left.fetch_sub(1) == 1)
			for (int k = 0; k < 8; k++)
				total += part[k];
	}
	return seen[299] != 3 || total != 28;
}
