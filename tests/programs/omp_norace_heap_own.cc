/* SPDX-License-Identifier: Apache-2.0
 *
 * Private memory of each thread on the heap: trees, lists and strings that grow in its iterations, and whose parts
 * point to each other and to the stack.
 * verdict: race-free for this input on every schedule
 */
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Tree {
	std::unique_ptr<Tree> left, right;
	int value;
	explicit Tree(int v) : value(v) {}
	void add(int v)
	{
		std::unique_ptr<Tree> &to = v < value ? left : right;
		if (to)
			to->add(v);
		else
			to.reset(new Tree(v));
	}
};

int results[64];

int main()
{
#pragma omp parallel
	{
		std::list<int> list;
		std::map<int, std::string> map;
		std::vector<std::vector<int>> rows;
		Tree tree(32);
		struct Cursor {
			std::list<int> *of;
			Cursor *self;
		};
		auto cursor = std::make_unique<Cursor>();
		cursor->of = &list;
		cursor->self = cursor.get();
#pragma omp for
		for (int i = 0; i < 64; i++) {
			cursor->self->of->push_back(i);
			map[i % 7] += "a string that is too long to be kept inside";
			rows.resize(rows.size() + 1);
			rows.back().push_back(i);
			tree.add(i * 7 % 64);
			results[i] = rows.back()[0];
		}
	}
	for (int i = 0; i < 64; i++)
		if (results[i] != i)
			return 1;
	return 0;
}
