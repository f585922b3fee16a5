/* SPDX-License-Identifier: Apache-2.0
 *
 * A promise with a value that one task sets and two get.
 */
#include <snag/task.hpp>
#include <string>
int main()
{
	std::string a, b;
	snag::launch([&] {
		snag::promise<std::string> p;
		snag::finish([&] {
			snag::async([&] { a = p.get(); });
			snag::async([&] { b = p.get(); });
			snag::async([&] { p.set("a string that is too long for its place"); });
		});
	});
	return a != b || a.empty();
}
