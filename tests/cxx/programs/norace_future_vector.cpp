/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of futures that is filled, moved and read.
 */
#include <snag/task.hpp>
#include <vector>
int main()
{
	int sum = 0;
	snag::launch([&] {
		std::vector<snag::future<int>> all;
		for (int i = 0; i < 10; i++)
			all.push_back(snag::async_future([i] { return i; }));
		std::vector<snag::future<int>> moved = std::move(all);
		for (auto &f : moved)
			sum += f->get();
	});
	return sum != 45;
}
