/* SPDX-License-Identifier: Apache-2.0
 *
 * Relaxed atomics that flushes make into flags, two flags in one word, a counter to which each adds and
 * releases, a spin lock made of an exchange, and critical sections behind a flag that orders nothing.
 * verdict: no race found
 * verdict: an atomic read acquires what a relaxed write wrote
 */
#include <stdatomic.h>

int sent, ready, both[2], part[4], arrived, counted, held, behind, loose;
_Atomic int latch, done[2];

/* Waits until it has this value. */
static void await(int *flag, int value)
{
	int seen = !value;
	while (seen != value) {
#pragma omp atomic read acquire
		seen = *flag;
	}
}

static int flushed(void)
{
	int got = 0;
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			int seen = 0;
			while (!seen) {
#pragma omp atomic read
				seen = ready;
			}
#pragma omp flush
			got = sent;
		}
#pragma omp section
		{
			sent = 1;
#pragma omp flush
#pragma omp atomic write
			ready = 1;
		}
	}
	return got;
}

static int neighbours(void)
{
	int got = 0;
#pragma omp parallel sections num_threads(3)
	{
#pragma omp section
		{
			while (!atomic_load(&done[0]) || !atomic_load(&done[1]))
				;
			got = both[0] + both[1];
		}
#pragma omp section
		{
			both[0] = 1;
			atomic_store(&done[0], 1);
		}
#pragma omp section
		{
			both[1] = 1;
			atomic_store(&done[1], 1);
		}
	}
	return got;
}

static int counter(void)
{
	int sum = 0;
#pragma omp parallel sections num_threads(4)
	{
#pragma omp section
		{
			await(&arrived, 2);
			sum = part[0] + part[1];
		}
#pragma omp section
		{
			part[0] = 1;
#pragma omp atomic update release
			arrived++;
		}
#pragma omp section
		{
			part[1] = 1;
#pragma omp atomic update release
			arrived++;
		}
	}
	return sum;
}

static int spin_lock(void)
{
#pragma omp parallel num_threads(4)
	{
		while (atomic_exchange_explicit(&latch, 1, memory_order_acquire))
			;
		held++;
		atomic_store_explicit(&latch, 0, memory_order_release);
	}
	return held;
}

static int excluded(void)
{
	int got = 0;
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			await(&loose, 1);
#pragma omp critical
			got = behind;
		}
#pragma omp section
		{
#pragma omp critical
			behind = 1;
#pragma omp atomic write
			loose = 1;
		}
	}
	return got;
}

int main(void)
{
	return flushed() != 1 || neighbours() != 2 || counter() != 2 || spin_lock() != 4 ||
	       excluded() != 1;
}
