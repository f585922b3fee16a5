/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocators: alignment, pools, what they fall back to; private copies that they make.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>
#include <stdint.h>
#include <string.h>

enum { N = 64 };

static int out[N];

static omp_allocator_handle_t made(omp_alloctrait_key_t key, omp_uintptr_t value,
				   omp_alloctrait_value_t fallback)
{
	omp_alloctrait_t traits[] = {{key, value}, {omp_atk_fallback, fallback}};
	return omp_init_allocator(omp_default_mem_space, 2, traits);
}

static int pools(void)
{
	omp_allocator_handle_t pool = made(omp_atk_pool_size, 1024, omp_atv_null_fb);
	char *a = omp_alloc(1000, pool), *b = omp_alloc(100, pool);
	if (!a || b)
		return 1;
	a = omp_realloc(memset(a, 7, 1000), 10, omp_default_mem_alloc, pool);
	b = omp_alloc(1024, pool);
	if (!a || a[9] != 7 || !b)
		return 1;
	omp_free(a, omp_default_mem_alloc);
	omp_free(b, omp_null_allocator);
	omp_destroy_allocator(pool);
	return 0;
}

int main(void)
{
	omp_allocator_handle_t wide = made(omp_atk_alignment, 256, omp_atv_abort_fb);
	char *p = omp_alloc(1, wide), *q = omp_calloc(3, 5, wide);
	int local = 0, bad = (uintptr_t)p % 256 || (uintptr_t)q % 256 || q[14];
	if (made(omp_atk_alignment, 3, omp_atv_abort_fb) != omp_null_allocator)
		return 1;
#pragma omp parallel for private(local) allocate(wide : local)
	for (int i = 0; i < N; i++) {
		local = i;
		out[i] = local + ((uintptr_t)&local % 256 != 0) * 1000;
	}
	omp_free(p, wide);
	omp_free(q, wide);
	omp_destroy_allocator(wide);
	return bad || pools() || out[N - 1] != N - 1;
}
