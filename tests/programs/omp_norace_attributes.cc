/* SPDX-License-Identifier: Apache-2.0
 *
 * Directives as attributes, beside those of declarations and attributes that are none of OpenMP; and what
 * only looks like a directive.
 * verdict: race-free for this input on every schedule
 */
enum { N = 64 };
int a[N], ncalls;
[[omp::directive(threadprivate(ncalls))]];
[[omp::directive(declare simd)]] int next(int i)
{
	return i + 1;
}
static const char text[] = R"x(
#pragma omp parallel for
[[omp::directive(for)]] ")x";

int main()
{
	long sum = 0;
	int done = 0;
	[[omp::directive(parallel, reduction(+ : done))]] {
		[[omp::directive(for reduction(+ : sum))]] for (int i = 0; i < N; i++) sum += next(i);
		[[omp::directive(sections)]] {
			[[omp::directive(section)]] a[0] = 1;
			[[omp::directive(section)]] { a[1] = 1; }
		}
		[[omp::directive(barrier)]];
		[[omp::directive(for schedule(static, 4))]] for (int i = 0; i < N; i++) if (i % 4)
			a[i] = a[i - 1] + 1;
		[[maybe_unused]] int mine = ncalls++;
		done++;
	}
	return sum != N * (N + 1) / 2 || !done || text[25] != '\n' || text[26] != '[';
}
