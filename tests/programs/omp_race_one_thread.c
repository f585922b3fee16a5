/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread writes, and no other thread waits for it: each of the iterations, sections and blocks behind it
 * may be another thread's.
 * race: by_single
 * race: by_master
 * race: by_masked
 * race: by_two
 * race: by_three
 * race: in_single
 * race: in_master
 * race: in_section
 * race: in_ordered
 * race: in_chunk
 * race: in_static
 * race: of_two
 * race: between
 */
enum { N = 16 };
int by_single[N], by_master[N], by_masked[N], by_two[N], by_three[N];
int in_single, in_master, in_section[2], in_ordered, in_chunk[N], in_static[N], of_two[N],
	between[N];
int sum, ready[2];

static void loops(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		by_single[1] = 1;
#pragma omp for
		for (int i = 0; i < N; i++)
			by_single[i]++;

#pragma omp master
		by_master[4] = 1;
#pragma omp for schedule(dynamic)
		for (int i = 0; i < N; i++)
			by_master[i]++;

#pragma omp masked filter(2)
		by_masked[2] = 1;
#pragma omp for schedule(guided)
		for (int i = 0; i < N; i++)
			by_masked[i]++;

#pragma omp single nowait
		by_two[0] = 1;
#pragma omp master
		by_two[1] = 1;
#pragma omp for
		for (int i = 0; i < N; i++)
			by_two[i]++;

#pragma omp single nowait
		by_three[5] = 1;
#pragma omp single nowait
		by_three[6] = 1;
#pragma omp single nowait
		by_three[7] = 1;
#pragma omp for
		for (int i = 0; i < N; i++)
			by_three[i]++;
	}
}

static void blocks(void)
{
#pragma omp parallel
	{
#pragma omp master
		in_single = 1;
#pragma omp single
		sum += in_single;

#pragma omp single nowait
		in_master = 1;
#pragma omp single nowait
		ready[0] = 1;
#pragma omp single nowait
		ready[1] = 1;
#pragma omp master
		sum += in_master;
#pragma omp barrier

#pragma omp single nowait
		in_section[0] = in_section[1] = 1;
#pragma omp sections
		{
#pragma omp section
			in_section[0]++;
#pragma omp section
			in_section[1]++;
		}
	}
}

static void kinds(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp single nowait
		in_ordered = 1;
#pragma omp for ordered
		for (int i = 0; i < N; i++) {
#pragma omp ordered
			in_ordered++;
		}
#pragma omp master
		in_chunk[7] = 1;
#pragma omp for schedule(static, 2)
		for (int i = 0; i < N; i++)
			in_chunk[i]++;

#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			in_static[i]++;
#pragma omp single nowait
		in_static[1] = in_static[2] = 1;
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			in_static[i]++;
	}
}

static void teams_of_two(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		of_two[3] = 1;
#pragma omp for
		for (int i = 0; i < N; i++)
			of_two[i]++;

			/* A reduction between them is no barrier. */
#pragma omp single nowait
		between[5] = 1;
#pragma omp for reduction(+ : sum) nowait
		for (int i = 0; i < N; i++)
			sum += i;
#pragma omp for
		for (int i = 0; i < N; i++)
			between[i]++;
	}
}

int main(void)
{
	loops();
	blocks();
	kinds();
	teams_of_two();
	return 0;
}
