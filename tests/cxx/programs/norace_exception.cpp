/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions that are handled in their tasks, and one that leaves a finish.
 */
#include <snag/task.hpp>
#include <stdexcept>
static int caught[4], outside;
int main()
{
	return snag::launch([] {
		try {
			snag::finish([] {
				for (int i = 0; i < 4; i++)
					snag::async([i] {
						try {
							throw std::runtime_error("inside");
						} catch (const std::exception &) {
							caught[i]++;
						}
					});
				throw 1;
			});
		} catch (int n) {
			outside = n + caught[0] + caught[3];
		}
	});
}
