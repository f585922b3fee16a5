/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions are left by exceptions and by longjmp before the racy access: its call stack must not
 * name them any more, but those that were not left.
 * found by: hb m2
 */
#include <pthread.h>
#include <setjmp.h>

static int shared;
static thread_local jmp_buf place;

struct guard {
	~guard()
	{
		guarded++;
	}
	static thread_local int guarded;
};

thread_local int guard::guarded;

__attribute__((noinline)) static void left_by_throw(int n)
{
	guard g;
	if (n == 0)
		throw 1;
	left_by_throw(n - 1);
}

__attribute__((noinline)) static void left_by_jump(int n)
{
	if (n == 0)
		longjmp(place, 1);
	left_by_jump(n - 1);
	guard::guarded++;
}

__attribute__((noinline)) static void touch()
{
	shared++;
}

__attribute__((noinline)) static void jumped_to()
{
	if (setjmp(place) == 0)
		left_by_jump(7);
	touch();
	guard::guarded++;
}

static void *run(void *arg)
{
	try {
		left_by_throw(7);
	} catch (int) {
	}
	jumped_to();
	guard::guarded++;
	return arg;
}

int main()
{
	pthread_t t[2];
	for (auto &each : t)
		pthread_create(&each, nullptr, run, nullptr);
	for (auto each : t)
		pthread_join(each, nullptr);
	return 0;
}
