/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks have copies of a std::function with something on the heap.
 */
#include <functional>
#include <snag/task.hpp>
#include <string>
static size_t sizes[6];
int main()
{
	return snag::launch([] {
		std::string text(100, 'x');
		std::function<size_t(int)> f = [text](int i) { return text.size() + i; };
		for (int i = 0; i < 6; i++)
			snag::async([f, i] { sizes[i] = f(i); });
	});
}
