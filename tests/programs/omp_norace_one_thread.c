/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread writes and then reads its own data, or other threads access other data.
 * verdict: race-free for this input on every schedule
 */
enum { N = 24 };
int begun, ended, x, y, first[N], a[N], b[N], seen[N], order[N], kept[N], total;

static void timers(void)
{
#pragma omp parallel
	for (int step = 0; step < 3; step++) {
#pragma omp master
		begun++;
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			a[i]++;
#pragma omp master
		ended = begun;
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			a[i]++;
#pragma omp master
		ended = begun;
#pragma omp for reduction(+ : total)
		for (int i = 0; i < N; i++)
			total += a[i];
	}
}

static void same_thread(void)
{
#pragma omp parallel num_threads(2)
	{
		int mine = 0;
#pragma omp single nowait
		{
			mine = 1;
			x = 1;
		}
		if (mine)
			x++;
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i]++;
#pragma omp single nowait
		y = x;
#pragma omp sections
		{
#pragma omp section
			ended += 0;
#pragma omp section
			begun = 0;
		}
	}
}

/* The first chunk is thread 0's, who has done the block before; and the same iterations are on the
 * same thread, in two loops. */
static void chunks(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp master
		first[0] = first[1] = 1;
#pragma omp for schedule(static, 2)
		for (int i = 0; i < N; i++)
			first[i]++;

#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			kept[i] = i;
#pragma omp single nowait
		y++;
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			kept[i] += i;
#pragma omp master
		x++;
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			kept[i] += i;
	}
}

static void tasks(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		for (int i = 0; i < N; i++)
#pragma omp task
			seen[i]++;
#pragma omp for ordered
		for (int i = 0; i < N; i++) {
#pragma omp ordered
			order[i] = i ? order[i - 1] + 1 : 0;
		}
#pragma omp masked filter(1)
		y++;
#pragma omp single
		x++;
	}
}

/* Some threads do not come to it. */
static void some(int n)
{
#pragma omp parallel
	{
		int mine = 0;
#pragma omp single nowait
		mine = n;
		if (!mine) {
#pragma omp master
			x++;
		}
#pragma omp for
		for (int i = 0; i < N; i++)
			a[i]++;
	}
}

int main(void)
{
	int bad = 0;
	timers();
	same_thread();
	chunks();
	tasks();
	some(1);
	for (int i = 0; i < N; i++)
		bad += a[i] != 7 || b[i] != 1 || seen[i] != 1 || order[i] != i ||
		       kept[i] != 3 * i || first[i] != 1 + (i < 2);
	return bad || total != N * (2 + 4 + 6) || ended != 3;
}
