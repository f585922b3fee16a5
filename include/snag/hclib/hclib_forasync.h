/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib_forasync.h - the parallel loops of hclib_cpp.h, which includes this file
 *
 *   hclib::loop_domain_2d domain(rows, columns);
 *   hclib::forasync2D(&domain, [=](int i, int j) { a[i][j] = 0; });
 *
 * The tasks of a loop own copies of its body.  The enclosing finish waits for them.  A domain
 * without a number of chunks or a tile leaves it to hclib_loop_tile() how many iterations are one
 * task: under a detector one, because what a larger task hides could race with more workers.
 */
#ifndef HCLIB_FORASYNC_H_
#define HCLIB_FORASYNC_H_

#include "hclib_cpp.h"

#define HCLIB_DEFAULT_LOOP_DIST 0

namespace hclib
{

namespace detail
{

inline hclib_loop_domain_t range(int low, int high, int tile = -1, int stride = 1)
{
	return {low, high, stride, tile};
}

inline long iterations(const hclib_loop_domain_t &d)
{
	return d.high > d.low ? ((long)d.high - d.low + d.stride - 1) / d.stride : 0;
}

/* What is left of a loop of N dimensions, and its body. */
template <int N, class F> struct tiled_loop {
	hclib_loop_domain_t domain[N];
	F body;

	bool is_empty() const
	{
		for (const hclib_loop_domain_t &d : domain)
			if (iterations(d) == 0)
				return true;
		return false;
	}

	template <class... Index> void run(Index... index)
	{
		if constexpr (sizeof...(Index) == N) {
			body(index...);
		} else {
			const hclib_loop_domain_t &d = domain[sizeof...(Index)];
			for (long i = d.low; i < d.high; i += d.stride)
				run(index..., (int)i);
		}
	}

	/* Cuts off the first n iterations of a dimension; the loop keeps the others. */
	tiled_loop cut(int dimension, long n)
	{
		tiled_loop first = *this;
		int at = (int)(domain[dimension].low + n * domain[dimension].stride);
		first.domain[dimension].high = at;
		domain[dimension].low = at;
		return first;
	}

	/* One task for each tile. */
	void flat(int dimension, hclib_future_t *future)
	{
		if (dimension == N) {
			async_await([self = *this]() mutable { self.run(); }, future);
			return;
		}
		while (iterations(domain[dimension]) > domain[dimension].tile)
			cut(dimension, domain[dimension].tile).flat(dimension + 1, future);
		flat(dimension + 1, future);
	}

	/* Halves the first dimension that is longer than its tile, one half in a task. */
	void recursive(hclib_future_t *future)
	{
		for (int i = 0; i < N; i++)
			while (iterations(domain[i]) > domain[i].tile)
				async([half = cut(i, iterations(domain[i]) / 2), future]() mutable {
					half.recursive(future);
				});
		if (future)
			hclib_future_wait(future);
		run();
	}
};

template <int N, class F>
void forasync(const hclib_loop_domain_t *domain, F body, bool is_sequential, int mode,
	      hclib_future_t *future)
{
	tiled_loop<N, F> all{{}, std::move(body)};
	for (int i = 0; i < N; i++) {
		all.domain[i] = domain[i];
		all.domain[i].tile = hclib_loop_tile(&domain[i]);
	}
	if (all.is_empty())
		return;
	if (is_sequential)
		all.run();
	else if (mode == FORASYNC_MODE_FLAT)
		all.flat(0, future);
	else if (future)
		async([all, future]() mutable { all.recursive(future); });
	else
		all.recursive(nullptr);
}

} // namespace detail

class loop_domain_1d
{
      public:
	explicit loop_domain_1d(int n) : loop_(detail::range(0, n))
	{
	}
	loop_domain_1d(int low, int high) : loop_(detail::range(low, high))
	{
	}
	loop_domain_1d(int low, int high, int nchunks, int stride = 1)
	    : loop_(detail::range(low, high, (high - low + nchunks - 1) / nchunks, stride))
	{
	}
	hclib_loop_domain_t *get_internal()
	{
		return &loop_;
	}

      private:
	hclib_loop_domain_t loop_;
};

class loop_domain_2d
{
      public:
	loop_domain_2d(int n1, int n2) : loop_{detail::range(0, n1), detail::range(0, n2)}
	{
	}
	loop_domain_2d(int low1, int high1, int low2, int high2)
	    : loop_{detail::range(low1, high1), detail::range(low2, high2)}
	{
	}
	hclib_loop_domain_t *get_internal()
	{
		return loop_;
	}

      private:
	hclib_loop_domain_t loop_[2];
};

class loop_domain_3d
{
      public:
	loop_domain_3d(int n1, int n2, int n3)
	    : loop_{detail::range(0, n1), detail::range(0, n2), detail::range(0, n3)}
	{
	}
	loop_domain_3d(int low1, int high1, int low2, int high2, int low3, int high3)
	    : loop_{detail::range(low1, high1), detail::range(low2, high2),
		    detail::range(low3, high3)}
	{
	}
	loop_domain_3d(int low1, int high1, int tile1, int low2, int high2, int tile2, int low3,
		       int high3, int tile3)
	    : loop_{detail::range(low1, high1, tile1), detail::range(low2, high2, tile2),
		    detail::range(low3, high3, tile3)}
	{
	}
	hclib_loop_domain_t *get_internal()
	{
		return loop_;
	}

      private:
	hclib_loop_domain_t loop_[3];
};

template <class F>
void forasync1D(loop_domain_1d *loop, F body, bool is_sequential = false,
		int mode = FORASYNC_MODE_RECURSIVE, hclib_future_t *future = nullptr,
		int = HCLIB_DEFAULT_LOOP_DIST)
{
	detail::forasync<1>(loop->get_internal(), std::move(body), is_sequential, mode, future);
}

template <class F>
void forasync2D(loop_domain_2d *loop, F body, bool is_sequential = false,
		int mode = FORASYNC_MODE_RECURSIVE, hclib_future_t *future = nullptr)
{
	detail::forasync<2>(loop->get_internal(), std::move(body), is_sequential, mode, future);
}

template <class F>
void forasync3D(loop_domain_3d *loop, F body, bool is_sequential = false,
		int mode = FORASYNC_MODE_RECURSIVE, hclib_future_t *future = nullptr)
{
	detail::forasync<3>(loop->get_internal(), std::move(body), is_sequential, mode, future);
}

/* The same: see hclib_cpp.h. */
template <class F, class... Args> void forasync1D_nb(loop_domain_1d *loop, F body, Args... args)
{
	forasync1D(loop, std::move(body), args...);
}

template <class F, class... Args> void forasync2D_nb(loop_domain_2d *loop, F body, Args... args)
{
	forasync2D(loop, std::move(body), args...);
}

template <class F, class... Args> void forasync3D_nb(loop_domain_3d *loop, F body, Args... args)
{
	forasync3D(loop, std::move(body), args...);
}

/* The same; the future is satisfied when all of them have ended. */
template <class F, class... Args>
future_t<void> *forasync1D_future(loop_domain_1d *loop, F body, Args... args)
{
	return nonblocking_finish([&] { forasync1D(loop, std::move(body), args...); });
}

template <class F, class... Args>
future_t<void> *forasync1D_nb_future(loop_domain_1d *loop, F body, Args... args)
{
	return forasync1D_future(loop, std::move(body), args...);
}

template <class F>
future_t<void> *forasync2D_future(loop_domain_2d *loop, F body, int mode = FORASYNC_MODE_RECURSIVE,
				  hclib_future_t *future = nullptr)
{
	return nonblocking_finish([&] { forasync2D(loop, std::move(body), false, mode, future); });
}

template <class F>
future_t<void> *forasync3D_future(loop_domain_3d *loop, F body, int mode = FORASYNC_MODE_RECURSIVE,
				  hclib_future_t *future = nullptr)
{
	return nonblocking_finish([&] { forasync3D(loop, std::move(body), false, mode, future); });
}

} // namespace hclib

#endif
