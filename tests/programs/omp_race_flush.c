/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags that order nothing: a relaxed write before the flush, one that is acquired, and two
 * counters that release but wait for no thread.
 * race: late
 * race: loose
 * race: beside
 */
int late, loose, beside, flag[3];

static void await(int *f)
{
	int seen = 0;
	while (!seen) {
#pragma omp atomic read acquire
		seen = *f;
	}
}

int main(void)
{
	int got = 0, found = 0;
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			await(&flag[0]);
			got = late;
		}
#pragma omp section
		{
#pragma omp flush
			late = 1;
#pragma omp atomic write
			flag[0] = 1;
		}
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			await(&flag[1]);
			found = loose;
		}
#pragma omp section
		{
			loose = 1;
#pragma omp atomic write
			flag[1] = 1;
		}
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			beside = 1;
#pragma omp atomic seq_cst
			flag[2]++;
		}
#pragma omp section
		{
#pragma omp atomic seq_cst
			flag[2]++;
			beside = 2;
		}
	}
	return got + found + beside > 4;
}
