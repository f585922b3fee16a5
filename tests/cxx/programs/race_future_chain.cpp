/* SPDX-License-Identifier: Apache-2.0
 *
 * The second future reads before it waits for the first.
 * race: x
 */
#include <snag/task.hpp>
int x;
int main()
{
	int r = 0;
	snag::launch([&] {
		auto a = snag::async_future([] {
			x = 1;
			return 1;
		});
		auto b = snag::async_future([a] {
			int early = x;
			return a->get() + early;
		});
		r = b->get();
	});
	return r > 2;
}
