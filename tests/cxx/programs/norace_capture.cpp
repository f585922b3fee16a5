/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures by reference, each task with its own element.
 */
#include <snag/task.hpp>
#include <vector>
int main()
{
	std::vector<int> v(16);
	int sum = 0;
	snag::launch([&] {
		snag::finish([&] {
			for (size_t i = 0; i < v.size(); i++)
				snag::async([&v, i] { v[i] = (int)i; });
		});
		for (int x : v)
			sum += x;
	});
	return sum != 120;
}
