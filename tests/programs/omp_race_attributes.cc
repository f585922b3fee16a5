/* SPDX-License-Identifier: Apache-2.0
 *
 * Directives as attributes: an iteration needs the one before, in the block of a thread.
 * race: a
 * race: b
 * race: c
 * race: d
 * race: e
 */
#define LOOP [[omp::directive(parallel for, schedule(static))]]
enum { N = 64 };
int a[N], b[N], c[N], d[N], e[N];

#define STEP(x, i) x[i] = 1 + (i == 2 ? x[i - 1] : 0)

int main()
{
	[[omp::directive(parallel for)]]
	for (int i = 0; i < N; i++)
		STEP(a, i);
	LOOP for (int i = 0; i < N; i++) STEP(b, i);
	[[using omp : sequence(directive(parallel), directive(for))]] for (int i = 0; i < N; i++)
		STEP(c, i);
	[[omp::sequence(omp::directive(parallel
				       num_threads(3)),
			sequence(directive(for)))]]
	for (int i = 0; i < N; i++)
		STEP(d, i);
	auto simd = [&] {
		if (d[0])
			[[omp::directive(simd)]] for (int i = 0; i < N; i++) STEP(e, i);
	};
	simd();
}
