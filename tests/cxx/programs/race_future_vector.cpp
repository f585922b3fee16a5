/* SPDX-License-Identifier: Apache-2.0
 *
 * One of the futures is not waited for.
 * race: last
 */
#include <snag/task.hpp>
#include <vector>
int last;
int main()
{
	int seen = 0;
	snag::launch([&] {
		std::vector<snag::future<void>> all;
		for (int i = 0; i < 4; i++)
			all.push_back(snag::async_future([i] {
				if (i == 3)
					last = i;
			}));
		for (int i = 0; i < 3; i++)
			all[i]->get();
		seen = last;
	});
	return seen > 3;
}
