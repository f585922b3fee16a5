/* SPDX-License-Identifier: Apache-2.0
 *
 * A future waits for another, which it shares.
 */
#include <snag/task.hpp>
int main()
{
	int r = 0;
	snag::launch([&] {
		int x = 0;
		auto a = snag::async_future([&] {
			x = 1;
			return 1;
		});
		auto b = snag::async_future([a, &x] { return a->get() + x; });
		r = b->get();
	});
	return r != 2;
}
