// SPDX-License-Identifier: Apache-2.0
//
// The C++ library's threads: mutex, condition variable, call_once that throws once, static
// variables of functions, future, shared_ptr, thread_local.
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex m;
static std::shared_mutex shared;
static std::condition_variable c;
static std::once_flag once;
static bool ready;
static int tries, made, value;
static thread_local int mine;

static const std::string &greeting()
{
	static const std::string text("a text that does not fit into the string itself");
	return text;
}

static void make()
{
	if (++tries == 1)
		throw std::runtime_error("again");
	made = 1;
}

static void work(std::shared_ptr<std::vector<int>> list)
{
	{
		std::unique_lock<std::mutex> lock(m);
		c.wait(lock, [] { return ready; });
	}
	try {
		std::call_once(once, make);
	} catch (const std::runtime_error &) {
		std::call_once(once, make);
	}
	if (!made || greeting().size() != 47)
		abort();
	for (int i = 0; i < 5; i++) {
		std::lock_guard<std::mutex> lock(m);
		list->push_back(i);
		mine++;
	}
	{
		std::unique_lock<std::shared_mutex> lock(shared);
		value++;
	}
	std::shared_lock<std::shared_mutex> lock(shared);
	if (value < 1 || mine != 5)
		abort();
}

int main()
{
	auto list = std::make_shared<std::vector<int>>();
	std::thread a(work, list), b(work, list), d(work, list);
	{
		std::lock_guard<std::mutex> lock(m);
		ready = true;
	}
	c.notify_all();
	auto sum = std::async(std::launch::async, [] { return 3 + 4; });
	a.join();
	b.join();
	d.join();
	return list->size() != 15 || sum.get() != 7;
}
