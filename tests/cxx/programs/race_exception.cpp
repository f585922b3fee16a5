/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler writes what a task of the finish that was left does.
 * race: x
 */
#include <snag/task.hpp>
int x;
int main()
{
	return snag::launch([] {
		snag::async([] { x = 1; });
		try {
			throw 1;
		} catch (int) {
			x = 2;
		}
	});
}
