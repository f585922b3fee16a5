/* SPDX-License-Identifier: Apache-2.0
 *
 * Two futures, whose results are added.
 */
#include <snag/task.hpp>
int main()
{
	int r = 0;
	snag::launch([&] {
		auto a = snag::async_future([] { return 1; });
		auto b = snag::async_future([] { return 2; });
		r = a->get() + b->get();
	});
	return r != 3;
}
