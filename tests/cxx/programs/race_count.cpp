/* SPDX-License-Identifier: Apache-2.0
 *
 * The count is dropped too early: what follows is not protected.
 * race: .*heap
 */
#include <atomic>
#include <snag/task.hpp>
struct counted {
	std::atomic<int> references{3};
	int value = 1;
};
int main()
{
	return snag::launch([] {
		auto *c = new counted;
		for (int i = 0; i < 3; i++)
			snag::async([c] {
				bool is_last = c->references.fetch_sub(1) == 1;
				c->value++;
				if (is_last)
					c->value = 0;
			});
	});
}
