/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks share an object; the last task deletes it.
 */
#include <memory>
#include <snag/task.hpp>
struct thing {
	int value = 3;
	~thing()
	{
		value = 0;
	}
};
static int seen[20];
int main()
{
	return snag::launch([] {
		auto shared = std::make_shared<thing>();
		for (int i = 0; i < 20; i++)
			snag::async([shared, i] { seen[i] = shared->value; });
	});
}
