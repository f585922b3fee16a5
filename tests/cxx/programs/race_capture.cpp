/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector that grows while a task reads it.
 * race: .*heap
 */
#include <snag/task.hpp>
#include <vector>
int main()
{
	std::vector<int> v(1);
	int seen = 0;
	snag::launch([&] {
		snag::finish([&] {
			snag::async([&] { seen = v[0]; });
			v[0] = 5;
		});
	});
	return seen > 5;
}
