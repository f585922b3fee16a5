/* SPDX-License-Identifier: Apache-2.0
 *
 * The function refers to one counter.
 * race: calls
 */
#include <functional>
#include <snag/task.hpp>
int calls;
int main()
{
	return snag::launch([] {
		std::function<void()> f = [] { calls++; };
		for (int i = 0; i < 3; i++)
			snag::async(f);
	});
}
