/* SPDX-License-Identifier: Apache-2.0
 *
 * What C++20 has for threads: latches, barriers, semaphores, atomics that are waited for, stop tokens.
 * flags: -std=gnu++20
 */
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

static int part[4], sum, rounds, handed, told;

static void latches()
{
	std::latch done(4);
	std::vector<std::jthread> all;
	for (int i = 0; i < 4; i++)
		all.emplace_back([&, i] {
			part[i] = i;
			done.count_down();
		});
	done.wait();
	for (int i = 0; i < 4; i++)
		sum += part[i];
}

static void barriers()
{
	std::barrier meet(3, []() noexcept { rounds += part[0] == part[2]; });
	std::vector<std::jthread> all;
	for (int i = 0; i < 3; i++)
		all.emplace_back([&, i] {
			for (int k = 0; k < 4; k++) {
				part[i] = k;
				meet.arrive_and_wait();
			}
		});
}

static void semaphores()
{
	std::counting_semaphore<2> ready(0);
	std::jthread t([&] {
		ready.acquire();
		handed++;
	});
	handed = 5;
	ready.release();
}

static void atomics()
{
	std::atomic<int> is_set{0};
	std::jthread t([&] {
		is_set.wait(0);
		told++;
	});
	told = 1;
	is_set.store(1);
	is_set.notify_one();
}

static void stops()
{
	std::mutex m;
	std::condition_variable_any cond;
	int got = 0;
	std::jthread waits([&](std::stop_token stop) {
		std::unique_lock l(m);
		cond.wait(l, stop, [&] { return got == 1; });
		got = 2;
	});
	std::jthread looks([](std::stop_token stop) {
		while (!stop.stop_requested())
			std::this_thread::yield();
	});
	std::lock_guard l(m);
	got = 1;
	cond.notify_all();
}

static void futures()
{
	std::packaged_task<int()> task([] { return sum++; });
	auto result = task.get_future();
	std::jthread t(std::move(task));
	result.get();
	sum++;
}

int main()
{
	latches();
	barriers();
	semaphores();
	atomics();
	stops();
	futures();
	return sum != 8 || rounds != 4 || handed != 6 || told != 2;
}
