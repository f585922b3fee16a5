/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector and shared pointers in isolated blocks.
 */
#include <memory>
#include <snag/task.hpp>
#include <vector>
int main()
{
	size_t n = 0;
	snag::launch([&] {
		std::vector<std::shared_ptr<int>> all;
		auto common = std::make_shared<int>(1);
		snag::finish([&] {
			for (int i = 0; i < 3; i++)
				snag::async(
					[&] { snag::isolated([&] { all.push_back(common); }); });
		});
		n = all.size();
	});
	return n != 3;
}
