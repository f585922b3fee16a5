/* SPDX-License-Identifier: Apache-2.0
 *
 * snag/task.hpp - <snag/task.h> for C++17: tasks are callables, promises have types
 *
 *   snag::launch([] {
 *           snag::promise<int> answer;
 *           snag::finish([&] {
 *                   snag::async([&] { std::cout << answer.get() << '\n'; });
 *                   snag::async([&] { answer.set(42); });
 *           });
 *   });
 *
 * A task owns a copy of its callable.  An exception that leaves a task ends the program, as
 * it does with a thread.  One that leaves the body of a finish, frame or isolated
 * block ends it properly first.
 */
#ifndef SNAG_TASK_HPP
#define SNAG_TASK_HPP

#if __cplusplus < 201703L
#error "<snag/task.hpp> needs C++17: compile with -std=c++17 or later"
#endif

#include <snag/task.h>

#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace snag
{

namespace detail
{

template <class F> void call_in_place(void *arg) noexcept
{
	(*static_cast<F *>(arg))();
}

template <class F> void call_and_delete(void *arg) noexcept
{
	std::unique_ptr<F> function(static_cast<F *>(arg));
	(*function)();
}

/* Hands a copy of the callable to `create_copy` if its bytes are all there is to copy, and
 * otherwise one on the heap to `create`. */
template <class F, class Create, class CreateCopy>
void create_task(F &&function, Create create, CreateCopy create_copy)
{
	using own = std::decay_t<F>;
	if constexpr (std::is_trivially_copyable_v<own> && alignof(own) <= 16)
		create_copy(call_in_place<own>, std::addressof(function), sizeof(own));
	else
		create(call_and_delete<own>, new own(std::forward<F>(function)));
}

struct finish_guard {
	finish_guard()
	{
		snag_finish_begin();
	}
	~finish_guard()
	{
		snag_finish_end();
	}
};

struct frame_guard {
	frame_guard()
	{
		snag_frame_begin();
	}
	~frame_guard()
	{
		snag_frame_end();
	}
};

struct isolated_guard {
	isolated_guard()
	{
		snag_isolated_begin();
	}
	~isolated_guard()
	{
		snag_isolated_end();
	}
};

} // namespace detail

/* Returns what snag_launch_with() does. */
template <class F> int launch(F &&function, const snag_launch_options &options = {})
{
	using own = std::remove_reference_t<F>;
	return snag_launch_with(
		&options, detail::call_in_place<own>,
		const_cast<void *>(static_cast<const void *>(std::addressof(function))));
}

template <class F> void async(F &&function)
{
	detail::create_task(std::forward<F>(function), snag_async, snag_async_copy);
}

template <class F> void spawn(F &&function)
{
	detail::create_task(std::forward<F>(function), snag_spawn, snag_spawn_copy);
}

inline void sync()
{
	snag_sync();
}

template <class F> auto finish(F &&function)
{
	detail::finish_guard guard;
	return std::forward<F>(function)();
}

template <class F> auto frame(F &&function)
{
	detail::frame_guard guard;
	return std::forward<F>(function)();
}

template <class F> auto isolated(F &&function)
{
	detail::isolated_guard guard;
	return std::forward<F>(function)();
}

/* Set at most once: set() returns whether this was the first time. */
template <class T> class promise
{
      public:
	promise()
	{
		snag_promise_init(&state_);
	}
	promise(const promise &) = delete;
	promise &operator=(const promise &) = delete;

	template <class... Args> bool set(Args &&...args)
	{
		auto value = std::make_unique<T>(std::forward<Args>(args)...);
		if (snag_promise_set(&state_, value.get()) < 0)
			return false;
		value.release(); /* it belongs to the state now */
		return true;
	}
	const T &get() const
	{
		return *static_cast<const T *>(snag_promise_get(&state_));
	}
	bool is_set() const
	{
		return snag_promise_is_set(&state_);
	}
	~promise()
	{
		delete static_cast<T *>(state_.value); /* null unless it is set */
	}

      private:
	mutable snag_promise state_;
};

template <> class promise<void>
{
      public:
	promise()
	{
		snag_promise_init(&state_);
	}
	promise(const promise &) = delete;
	promise &operator=(const promise &) = delete;

	bool set()
	{
		return snag_promise_set(&state_, nullptr) == 0;
	}
	void get() const
	{
		snag_promise_get(&state_);
	}
	bool is_set() const
	{
		return snag_promise_is_set(&state_);
	}

      private:
	mutable snag_promise state_;
};

/* The promise of a task's result. */
template <class T> using future = std::shared_ptr<promise<T>>;

/* A task that computes a value. */
template <class F> auto async_future(F &&function)
{
	using T = std::invoke_result_t<std::decay_t<F> &>;
	auto result = std::make_shared<promise<T>>();
	async([result, function = std::forward<F>(function)]() mutable {
		if constexpr (std::is_void_v<T>) {
			function();
			result->set();
		} else {
			result->set(function());
		}
	});
	return result;
}

} // namespace snag

#endif
