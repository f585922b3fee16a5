/* SPDX-License-Identifier: Apache-2.0
 *
 * A promise that no task sets or gets, and one of void.
 */
#include <snag/task.hpp>
int main()
{
	int x = 0;
	snag::launch([&] {
		snag::promise<int> never;
		snag::promise<void> done;
		snag::finish([&] {
			snag::async([&] {
				x = 1;
				done.set();
			});
			done.get();
			x++;
		});
	});
	return x != 2;
}
