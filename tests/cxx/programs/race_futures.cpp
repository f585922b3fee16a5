/* SPDX-License-Identifier: Apache-2.0
 *
 * Both futures write what they were lent.
 * race: shared
 */
#include <snag/task.hpp>
int shared;
int main()
{
	return snag::launch([&] {
		auto a = snag::async_future([] { return shared = 1; });
		auto b = snag::async_future([] { return shared = 2; });
		a->get();
		b->get();
	});
}
