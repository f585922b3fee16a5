/* SPDX-License-Identifier: Apache-2.0
 *
 * test_task_cxx.cpp - tasks as C++ programs use them, in parallel and under a detector
 */
#include <snag/hclib/hclib_atomic.h>
#include <snag/hclib/hclib_cpp.h>
#include <snag/task.hpp>

#include <atomic>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

static int failures;
extern "C" int detector_is_attached; /* detector.c: then tasks run depth first */

#define CHECK(condition)                                                                        \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			std::fprintf(stderr, "%s:%d: %s, %s\n", __FILE__, __LINE__, #condition, \
				     detector_is_attached ? "depth first" : "in parallel");     \
			failures++;                                                             \
		}                                                                               \
	} while (0)

static const snag_launch_options four = {4, 0};

static long fib(long n)
{
	if (n < 2)
		return n;
	auto a = snag::async_future([n] { return fib(n - 1); });
	long b = fib(n - 2);
	return a->get() + b;
}

static void futures()
{
	long result = 0;
	CHECK(snag::launch([&] { result = fib(15); }, four) == 0);
	CHECK(result == 610);
}

/* Callables that own something are copied and destroyed. */
static void owners()
{
	std::atomic<size_t> length{0};
	snag::launch(
		[&] {
			snag::finish([&] {
				for (int i = 0; i < 100; i++) {
					std::string text(static_cast<size_t>(i), 'x');
					std::vector<int> numbers(10, i);
					snag::spawn([&length, text, numbers] {
						length += text.size() + numbers.size();
					});
				}
				snag::sync();
			});
		},
		four);
	CHECK(length == 4950 + 1000);
}

static void promises()
{
	std::string got;
	bool again = true;
	snag::launch(
		[&] {
			snag::promise<std::string> words;
			snag::promise<void> said;
			snag::promise<int> never;
			snag::finish([&] {
				snag::async([&] {
					got = words.get();
					said.set();
				});
				snag::async([&] { words.set(1000, 'w'); });
			});
			said.get();
			again = words.set("again") || never.is_set() || !said.is_set();
		},
		four);
	CHECK(got == std::string(1000, 'w'));
	CHECK(!again);
}

/* Waits inside a handler, while others on the same thread throw and catch. */
static void handler(int depth, snag::promise<int> &p, std::atomic<int> &right)
{
	try {
		throw std::runtime_error(std::to_string(depth));
	} catch (const std::runtime_error &outer) {
		try {
			p.get();
			throw std::logic_error("inner " + std::to_string(depth));
		} catch (const std::logic_error &inner) {
			right += inner.what() == "inner " + std::to_string(depth);
		}
		try {
			throw;
		} catch (const std::runtime_error &same) {
			right += same.what() == std::to_string(depth) && &same == &outer;
		}
	}
	right += std::uncaught_exceptions() == 0 && !std::current_exception();
}

static void exceptions()
{
	std::atomic<int> right{0};
	snag::launch(
		[&] {
			snag::promise<int> p;
			snag::finish([&] {
				for (int i = 0; i < 200; i++)
					snag::async([&, i] { handler(i, p, right); });
				try {
					throw 1;
				} catch (int) {
					p.set(1);
				}
			});
		},
		four);
	CHECK(right == 600);
}

/* An exception that leaves a finish waits for its tasks first. */
static void exception_leaves_finish()
{
	bool caught = false;
	int done = 0;
	snag::launch(
		[&] {
			std::atomic<int> ended{0};
			try {
				snag::finish([&] {
					for (int i = 0; i < 50; i++)
						snag::async([&] { ended++; });
					throw std::runtime_error("out");
				});
			} catch (const std::runtime_error &) {
				caught = true;
			}
			done = ended;
		},
		four);
	CHECK(caught);
	CHECK(done == 50);
}

static void isolated()
{
	long sum = 0;
	snag::launch(
		[&] {
			for (int i = 1; i <= 100; i++)
				snag::async([&, i] { snag::isolated([&] { sum += i; }); });
		},
		four);
	CHECK(sum == 5050);
}

static void as_with_hclib()
{
	const char *deps[] = {"system"};
	std::vector<int> numbers(1000);
	double mean = 0;
	int reference = 0;
	hclib::launch(deps, 1, [&] {
		hclib::finish([&] {
			for (int &n : numbers)
				hclib::async([&] { n = static_cast<int>(&n - numbers.data()); });
		});
		auto *sum = new hclib::promise_t<double>();
		auto *where = new hclib::promise_t<int &>();
		auto *over = new hclib::promise_t<void>();
		hclib::async([=, &numbers] {
			sum->put(std::accumulate(numbers.begin(), numbers.end(), 0.0));
			where->put(numbers[7]);
			over->put();
		});
		auto *half = hclib::async_future([=] { return sum->get_future()->wait() / 2; });
		hclib::finish([&] {
			hclib::async_await(
				[&, where] {
					mean = half->get() * 2 / 1000;
					reference = where->get_future()->get();
				},
				half, over->get_future());
		});
		CHECK(over->get_future()->test());
		hclib::atomic_sum_t<long> total(0);
		hclib::atomic_max_t<int> most(-1);
		hclib::finish([&] {
			for (int &n : numbers)
				hclib::async([&] {
					total += n;
					most.update(n);
				});
		});
		CHECK(total.get() == 499500);
		CHECK(most.get() == 999);
		delete static_cast<hclib::promise_t<double> *>(half->owner);
		delete sum;
		delete where;
		delete over;
	});
	CHECK(mean == 499.5);
	CHECK(reference == 7);
}

int main()
{
	for (int round = 0; round < 20; round++) {
		detector_is_attached = round % 4 == 0;
		futures();
		owners();
		promises();
		exceptions();
		exception_leaves_finish();
		isolated();
		as_with_hclib();
	}
	return failures > 0;
}
