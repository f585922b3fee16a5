/* SPDX-License-Identifier: Apache-2.0
 *
 * References counted by hand, with acquire-release updates, and with a fence.
 */
#include <atomic>
#include <snag/task.hpp>
struct counted {
	std::atomic<int> references;
	int value = 1;
	explicit counted(int n) : references(n)
	{
	}
};
static int seen[10];
static void drop(counted *c)
{
	if (c->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
		delete c;
}
static void drop_fenced(counted *c)
{
	if (c->references.fetch_sub(1, std::memory_order_release) == 1) {
		std::atomic_thread_fence(std::memory_order_acquire);
		delete c;
	}
}
int main()
{
	return snag::launch([] {
		auto *a = new counted(5), *b = new counted(5);
		for (int i = 0; i < 5; i++)
			snag::async([a, b, i] {
				seen[i] = a->value;
				drop(a);
				seen[5 + i] = b->value;
				drop_fenced(b);
			});
	});
}
