/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.c - loops that can be told as a whole, of all kinds, at random places: what they do must
 *           not depend on how they are told
 *
 * Usage: loops SEED ROUNDS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096 };

struct point {
	double x, y;
	int tag;
	short s[2];
};

struct __attribute__((packed)) packed {
	char c;
	long l;
};

typedef float four __attribute__((vector_size(16)));

static double a[N], b[N], c[N];
static int ints[N];
static short shorts[N];
static unsigned char bytes[N];
static struct point points[N];
static struct packed packed[N];
static four vectors[N];
static char page[1 << 22]; /* larger than a table of the filter, in bytes */

struct args {
	int n, at, to, step;
};

typedef long kernel(struct args p);

#define KERNEL(name, ...)                                                              \
	static __attribute__((noinline)) long name(struct args p)                      \
	{                                                                              \
		const int n = p.n, at = p.at, to = p.to, step = p.step;                \
		long sum = 0;                                                          \
		(void)at, (void)to, (void)step;                                        \
		__VA_ARGS__                                                            \
		return sum;                                                            \
	}
#define LOOP for (int i = 0; i < n; i++)

KERNEL(copies, LOOP a[to + i] = a[at + i];)
KERNEL(adds, LOOP a[to + i] = b[at + i] + c[at + i];)
KERNEL(updates, LOOP a[at + i] += b[to + i] * 2;)
KERNEL(smooths, LOOP b[at + i + 1] = (a[at + i] + a[at + i + 2] + c[to + i]) / 3;)
KERNEL(shifts, LOOP a[at + i] = a[at + i + 1];)
KERNEL(runs_into_itself, LOOP a[at + i + 1] = a[at + i] + 1;)
KERNEL(strides, double s = 0; LOOP s += a[i * step] * b[at + i]; sum = (long)s;)
KERNEL(back, for (int i = n - 1; i >= 0; i--) ints[to + i] = ints[at + i] + 1;)
KERNEL(one_cell, LOOP ints[at] += ints[to + i];)
KERNEL(sizes, LOOP { bytes[at + i] = (unsigned char)shorts[to + i]; sum += ints[at + i]; })
KERNEL(fields, LOOP { points[at + i].x += points[to + i].y; points[at + i].tag = i; sum += points[to + i].s[1]; })
KERNEL(every_other, LOOP sum += shorts[2 * i] - shorts[2 * i + 1];)
KERNEL(unaligned, LOOP packed[at + i].l += i;)
KERNEL(unaligned_reads, LOOP { long l; memcpy(&l, bytes + at + 3 * i, 8); sum += l; })
KERNEL(wide, LOOP vectors[at + i] += vectors[to + i];)
KERNEL(far, LOOP page[at + i * 513]++;)
KERNEL(farther, LOOP sum += page[at + i * 8192 % (1 << 22)];)
KERNEL(steps_mixed, LOOP { a[at + i + 2] = b[2 * i] + a[at + i]; c[3 * i] = a[to + i]; })
KERNEL(squares, for (int i = 0; i < 40; i++) for (int j = 0; j < n / 16; j++) a[i * 64 + j] += b[j];)
KERNEL(writes_then_reads, LOOP { ints[at + i] = i; sum += ints[at + i]; sum += shorts[to + i]; })
KERNEL(same_twice, for (int r = 0; r < 3; r++) LOOP sum += ints[at + i] * 3;)
KERNEL(chooses, LOOP { int v = ints[at + i]; if (v > i) v = v * v - i; shorts[to + i] = (short)v; })
KERNEL(unsigned_count, for (unsigned i = 0; i != (unsigned)n; i++) bytes[to + i] = bytes[at + i];)

static kernel *const kernels[] = {
	steps_mixed, copies, adds, updates, smooths, shifts, runs_into_itself, strides, back, one_cell,
	sizes, fields, every_other, unaligned, unaligned_reads, wide, far, farther, squares,
	writes_then_reads, same_twice, chooses, unsigned_count,
};

static unsigned seed, rounds;
static long results[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned next(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void *work(void *arg)
{
	unsigned me = (unsigned)(long)arg, state = seed * 2 + me;
	long sum = 0;
	for (unsigned r = 0; r < rounds; r++) {
		struct args p;
		kernel *k = kernels[next(&state) % (sizeof(kernels) / sizeof(*kernels))];
		p.n = (int)(next(&state) % 3 ? next(&state) % 40 : next(&state) % 500);
		p.at = (int)(next(&state) % 16);
		p.to = next(&state) % 2 ? p.at + (int)(next(&state) % 4) : (int)(next(&state) % 1024);
		p.step = (int)(next(&state) % 8);
		sum += k(p);
		if (next(&state) % 8 == 0) {
			pthread_mutex_lock(&lock);
			sum += k(p);
			pthread_mutex_unlock(&lock);
		}
	}
	results[me] = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	if (argc < 3)
		return 2;
	seed = (unsigned)atoi(argv[1]);
	rounds = (unsigned)atoi(argv[2]);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("%ld %ld\n", results[0], results[1]);
	return 0;
}
