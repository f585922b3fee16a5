/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_cpp.h - the calls that C++ programs written for hclib use, on top of <snag/task.hpp>
 *
 * See hclib.h.  It needs C++17.  Promises hold values of up to the size of a pointer, references,
 * or nothing.  There is one locale, so the functions that end in _at do the same as those that do
 * not.  So do those with _nb, because a task that waits never blocks its worker.
 *
 * Lifetime.  A task owns a copy of its callable.  The promises of async_future() and its relatives
 *            stay until the program deletes them, as with hclib.
 */
#ifndef HCLIB_CPP_H_
#define HCLIB_CPP_H_

#include "hclib.h"

#include <snag/task.hpp>

#include <cstring>
#include <functional>
#include <string>
#include <vector> /* which programs expect from here */

namespace hclib
{

typedef hclib_locale_t locale_t;

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
		return const_cast<void *>(static_cast<const void *>(std::addressof(value)));
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

/* The futures that a task waits for before it begins; NULL: none. */
struct few_futures {
	hclib_future_t *future[4];
	void wait() const
	{
		for (hclib_future_t *f : future)
			if (f)
				hclib_future_wait(f);
	}
};

struct many_futures {
	std::vector<hclib_future_t *> future;
	void wait() const
	{
		for (hclib_future_t *f : future)
			if (f)
				hclib_future_wait(f);
	}
};

inline few_futures to_await(hclib_future_t *a, hclib_future_t *b = nullptr,
			    hclib_future_t *c = nullptr, hclib_future_t *d = nullptr)
{
	return {{a, b, c, d}};
}

inline many_futures to_await(const std::vector<hclib_future_t *> &futures)
{
	return {futures};
}

inline many_futures to_await(const std::vector<hclib_future_t *> *futures)
{
	return {futures ? *futures : std::vector<hclib_future_t *>()};
}

inline few_futures to_await(std::nullptr_t)
{
	return {};
}

template <class F, class Futures> auto after(F &&function, Futures &&futures)
{
	return [function = std::forward<F>(function),
		futures = std::forward<Futures>(futures)]() mutable {
		futures.wait();
		return function();
	};
}

struct finish_scope {
	finish_scope()
	{
		hclib_start_finish();
	}
	~finish_scope()
	{
		hclib_end_finish();
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
	void put(T value)
	{
		hclib_promise_put(this, detail::datum<T>::from(value));
	}
	void end_put(T value) /* the same; says that it is the last thing its task does */
	{
		put(value);
	}
	future_t<T> *get_future()
	{
		return static_cast<future_t<T> *>(hclib_get_future_for_promise(this));
	}
	future_t<T> &future()
	{
		return *get_future();
	}
};

template <> struct promise_t<void> : hclib_promise_t {
	promise_t()
	{
		hclib_promise_init(this);
	}
	void put()
	{
		hclib_promise_put(this, nullptr);
	}
	void end_put()
	{
		put();
	}
	future_t<void> *get_future()
	{
		return static_cast<future_t<void> *>(hclib_get_future_for_promise(this));
	}
	future_t<void> &future()
	{
		return *get_future();
	}
};

template <class F> void launch(const char **, int, F &&function)
{
	auto run = [&] { function(); };
	hclib_launch(snag::detail::call_in_place<decltype(run)>, &run, nullptr, 0);
}

template <class F> void launch(int nworkers, const char **deps, int ndeps, F &&function)
{
	setenv("SNAG_WORKERS", std::to_string(nworkers).c_str(), 1);
	launch(deps, ndeps, std::forward<F>(function));
}

inline int get_current_worker()
{
	return hclib_get_current_worker();
}

inline int get_num_workers()
{
	return hclib_get_num_workers();
}

inline int get_num_locales()
{
	return hclib_get_num_locales();
}

inline locale_t *get_closest_locale()
{
	return hclib_get_closest_locale();
}

inline locale_t *get_all_locales()
{
	return hclib_get_all_locales();
}

inline locale_t *get_master_place()
{
	return hclib_get_master_place();
}

inline void yield()
{
	hclib_yield(nullptr);
}

inline void yield_at(locale_t *locale)
{
	hclib_yield(locale);
}

template <class F> void finish(F &&function)
{
	detail::finish_scope scope;
	function();
}

/* A finish that does not wait: the future is satisfied when it would have ended. */
template <class F> future_t<void> *nonblocking_finish(F &&function)
{
	hclib_start_finish();
	function();
	return static_cast<future_t<void> *>(hclib_end_finish_nonblocking());
}

template <class F> void async(F &&function)
{
	snag::detail::create_task(
		std::forward<F>(function),
		[](generic_frame_ptr run, void *arg) { hclib_async_bytes(run, arg, nullptr, 0); },
		[](generic_frame_ptr run, const void *copy, size_t nbytes) {
			hclib_async_bytes(run, nullptr, copy, nbytes);
		});
}

/* A task that begins when the futures are satisfied: up to four pointers to futures, or a vector
 * of such pointers. */
template <class F, class... Futures> void async_await(F &&function, Futures &&...futures)
{
	async(detail::after(std::forward<F>(function), detail::to_await(futures...)));
}

/* A task whose result the future returned will hold.  Its promise stays. */
template <class F> auto async_future(F &&function)
{
	using T = std::invoke_result_t<std::decay_t<F> &>;
	auto *result = new promise_t<T>();
	async([result, function = std::forward<F>(function)]() mutable {
		if constexpr (std::is_void_v<T>) {
			function();
			result->put();
		} else {
			result->put(function());
		}
	});
	return result->get_future();
}

template <class F, class... Futures> auto async_future_await(F &&function, Futures &&...futures)
{
	return async_future(detail::after(std::forward<F>(function), detail::to_await(futures...)));
}

/* With a locale, and "non-blocking". */
template <class F> void async_at(F &&function, locale_t *)
{
	async(std::forward<F>(function));
}

template <class F> void async_nb(F &&function)
{
	async(std::forward<F>(function));
}

template <class F> void async_nb_at(F &&function, locale_t *)
{
	async(std::forward<F>(function));
}

template <class F, class Futures> void async_await_at(F &&function, Futures &&futures, locale_t *)
{
	async_await(std::forward<F>(function), futures);
}

template <class F>
void async_await_at(F &&function, hclib_future_t *first, hclib_future_t *second, locale_t *)
{
	async_await(std::forward<F>(function), first, second);
}

template <class F, class... Futures> void async_nb_await(F &&function, Futures &&...futures)
{
	async_await(std::forward<F>(function), futures...);
}

template <class F, class Futures>
void async_nb_await_at(F &&function, Futures &&futures, locale_t *)
{
	async_await(std::forward<F>(function), futures);
}

template <class F> auto async_future_at(F &&function, locale_t *)
{
	return async_future(std::forward<F>(function));
}

template <class F> auto async_nb_future(F &&function)
{
	return async_future(std::forward<F>(function));
}

template <class F> auto async_nb_future_at(F &&function, locale_t *)
{
	return async_future(std::forward<F>(function));
}

template <class F, class Futures>
auto async_future_await_at(F &&function, Futures &&futures, locale_t *)
{
	return async_future_await(std::forward<F>(function), futures);
}

template <class F, class... Futures> auto async_nb_future_await(F &&function, Futures &&...futures)
{
	return async_future_await(std::forward<F>(function), futures...);
}

/* Memory at a locale: tasks, as in hclib.h. */
inline future_t<void *> *allocate_at(size_t nbytes, locale_t *locale)
{
	return static_cast<future_t<void *> *>(hclib_allocate_at(nbytes, locale));
}

inline future_t<void *> *reallocate_at(void *ptr, size_t nbytes, locale_t *locale)
{
	return static_cast<future_t<void *> *>(hclib_reallocate_at(ptr, nbytes, locale));
}

inline future_t<void *> *memset_at(void *ptr, int byte, size_t nbytes, locale_t *locale)
{
	return static_cast<future_t<void *> *>(hclib_memset_at(ptr, byte, nbytes, locale));
}

inline void free_at(void *ptr, locale_t *locale)
{
	hclib_free_at(ptr, locale);
}

inline future_t<void *> *async_copy_await_all(locale_t *to_locale, void *to, locale_t *from_locale,
					      void *from, size_t nbytes, hclib_future_t **futures,
					      int nfutures)
{
	return static_cast<future_t<void *> *>(
		hclib_async_copy(to_locale, to, from_locale, from, nbytes, futures, nfutures));
}

inline future_t<void *> *async_copy(locale_t *to_locale, void *to, locale_t *from_locale,
				    void *from, size_t nbytes)
{
	return async_copy_await_all(to_locale, to, from_locale, from, nbytes, nullptr, 0);
}

inline future_t<void *> *async_copy_await(locale_t *to_locale, void *to, locale_t *from_locale,
					  void *from, size_t nbytes, hclib_future_t *future)
{
	return async_copy_await_all(to_locale, to, from_locale, from, nbytes, &future,
				    future ? 1 : 0);
}

inline future_t<void *> *async_copy_await_fut_src(locale_t *to_locale, void *to,
						  locale_t *from_locale, hclib_future_t *from,
						  size_t nbytes)
{
	return async_copy_await_all(to_locale, to, from_locale, HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC,
				    nbytes, &from, 1);
}

} // namespace hclib

#include "hclib_forasync.h"

#endif
