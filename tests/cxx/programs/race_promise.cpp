/* SPDX-License-Identifier: Apache-2.0
 *
 * What is written after the set.
 * race: x
 */
#include <snag/task.hpp>
int x;
int main()
{
	int seen = 0;
	snag::launch([&] {
		snag::promise<int> p;
		snag::finish([&] {
			snag::async([&] {
				p.set(1);
				x = 2;
			});
			seen = p.get() + x;
		});
	});
	return seen > 3;
}
