/* SPDX-License-Identifier: Apache-2.0
 *
 * The object is shared, and written.
 * race: .*heap
 */
#include <memory>
#include <snag/task.hpp>
int main()
{
	return snag::launch([] {
		auto shared = std::make_shared<int>(0);
		for (int i = 0; i < 3; i++)
			snag::async([shared, i] { *shared = i; });
	});
}
