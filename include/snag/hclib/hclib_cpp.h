/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_cpp.h - the calls that C++ programs written for hclib use, on top of <snag/task.hpp>
 *
 * See hclib.h.  Promises hold values of up to the size of a pointer, references, or nothing.
 */
#ifndef HCLIB_CPP_H_
#define HCLIB_CPP_H_

#include "hclib.h"

#include <snag/task.hpp>

#include <cstring>
#include <functional>
#include <vector> /* which programs expect from here */

namespace hclib
{

namespace detail
{

/* A value as the datum of a promise, and back. */
template <class T> struct datum {
	static_assert(sizeof(T) <= sizeof(void *) && std::is_trivially_copyable_v<T>,
		      "too large for a promise: put a pointer to it");
	static void *from(T value)
	{
		void *bits = nullptr;
		std::memcpy(&bits, &value, sizeof(T));
		return bits;
	}
	static T to(void *bits)
	{
		T value;
		std::memcpy(&value, &bits, sizeof(T));
		return value;
	}
};

template <class T> struct datum<T &> {
	static void *from(T &value)
	{
		return &value;
	}
	static T &to(void *bits)
	{
		return *static_cast<T *>(bits);
	}
};

template <> struct datum<void> {
	static void to(void *)
	{
	}
};

} // namespace detail

template <class T> struct future_t : hclib_future_t {
	T get()
	{
		return detail::datum<T>::to(hclib_future_get(this));
	}
	T wait()
	{
		return get();
	}
	bool test()
	{
		return hclib_future_is_satisfied(this);
	}
};

template <class T> struct promise_t : hclib_promise_t {
	promise_t()
	{
		hclib_promise_init(this);
	}
	template <class... Value> void put(Value &&...value)
	{
		if constexpr (std::is_void_v<T>)
			hclib_promise_put(this, nullptr);
		else
			hclib_promise_put(this,
					  detail::datum<T>::from(std::forward<Value>(value)...));
	}
	future_t<T> *get_future()
	{
		return static_cast<future_t<T> *>(hclib_get_future_for_promise(this));
	}
};

template <class F> void launch(const char **, int, F &&function)
{
	auto run = [&] { function(); };
	hclib_launch(snag::detail::call_in_place<decltype(run)>, &run, nullptr, 0);
}

template <class F> void async(F &&function)
{
	snag::async(std::forward<F>(function));
}

template <class F> void finish(F &&function)
{
	snag::finish(std::forward<F>(function));
}

/* A task that begins when the futures are satisfied. */
template <class F, class... T> void async_await(F &&function, future_t<T> *...futures)
{
	snag::async([function = std::forward<F>(function), futures...]() mutable {
		((futures ? hclib_future_wait(futures) : nullptr), ...);
		function();
	});
}

/* A task whose result the future returned will hold.  Its promise stays. */
template <class F> auto async_future(F &&function)
{
	using T = std::invoke_result_t<std::decay_t<F> &>;
	auto *result = new promise_t<T>();
	snag::async([result, function = std::forward<F>(function)]() mutable {
		if constexpr (std::is_void_v<T>) {
			function();
			result->put();
		} else {
			result->put(function());
		}
	});
	return result->get_future();
}

} // namespace hclib

#endif
