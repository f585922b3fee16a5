/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_atomic.h - hclib's atomics: values that tasks update, put together when they have ended
 *
 * Each worker has a value of its own.  An update must not wait, and a gather comes after all
 * updates.
 */
#ifndef HCLIB_ATOMIC_H
#define HCLIB_ATOMIC_H

#include "hclib.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*atomic_init_func)(void *value, void *data);
typedef void (*atomic_update_func)(void *value, void *data);
typedef void (*atomic_gather_func)(void *into, void *value, void *data);

typedef struct _hclib_atomic_t {
	char *vals;
	size_t nthreads, val_size, padded_val_size;
} hclib_atomic_t;

/* Calls init(value, data) for each value of `nbytes` bytes. */
SNAG_API hclib_atomic_t *hclib_atomic_create(size_t nbytes, atomic_init_func init, void *data);
SNAG_API void hclib_atomic_init(hclib_atomic_t *atomic, size_t nbytes, atomic_init_func init,
				void *data);

/* Calls update(value, data) with the worker's value. */
SNAG_API void hclib_atomic_update(hclib_atomic_t *atomic, atomic_update_func update, void *data);

/* A copy of the first value, into which all others are put.  Free it. */
SNAG_API void *hclib_atomic_gather(hclib_atomic_t *atomic, atomic_gather_func gather, void *data);

#ifdef __cplusplus
}

#include <functional>

namespace hclib
{

template <class T> class atomic_t
{
      public:
	explicit atomic_t(T first) : initial(first)
	{
		hclib_atomic_init(
			&atomic, sizeof(T),
			[](void *value, void *data) { new (value) T(*static_cast<T *>(data)); },
			&initial);
	}
	atomic_t(const atomic_t &) = delete;
	atomic_t &operator=(const atomic_t &) = delete;
	~atomic_t()
	{
		for (size_t i = 0; i < atomic.nthreads; i++)
			at(i).~T();
		free(atomic.vals);
	}
	void update(std::function<T(T)> f)
	{
		hclib_atomic_update(
			&atomic,
			[](void *value, void *data) {
				T &now = *static_cast<T *>(value);
				now = (*static_cast<std::function<T(T)> *>(data))(now);
			},
			&f);
	}
	T gather(std::function<T(T, T)> reduce)
	{
		T all = initial;
		for (size_t i = 0; i < atomic.nthreads; i++)
			all = reduce(all, at(i));
		return all;
	}

      private:
	T &at(size_t i)
	{
		return *reinterpret_cast<T *>(atomic.vals + i * atomic.padded_val_size);
	}
	hclib_atomic_t atomic;
	T initial;
};

template <class T> class atomic_sum_t : private atomic_t<T>
{
      public:
	using atomic_t<T>::atomic_t;
	atomic_sum_t &operator+=(T other)
	{
		this->update([&](T now) { return now + other; });
		return *this;
	}
	T get()
	{
		return this->gather([](T a, T b) { return a + b; });
	}
};

template <class T> class atomic_max_t : private atomic_t<T>
{
      public:
	using atomic_t<T>::atomic_t;
	void update(T other)
	{
		atomic_t<T>::update([&](T now) { return now > other ? now : other; });
	}
	T get()
	{
		return this->gather([](T a, T b) { return a > b ? a : b; });
	}
};

template <class T> class atomic_or_t : private atomic_t<T>
{
      public:
	using atomic_t<T>::atomic_t;
	atomic_or_t &operator|=(T other)
	{
		this->update([&](T now) { return now || other; });
		return *this;
	}
	T get()
	{
		return this->gather([](T a, T b) { return a || b; });
	}
};

} // namespace hclib
#endif

#endif
