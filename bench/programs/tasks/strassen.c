/* SPDX-License-Identifier: Apache-2.0
 *
 * strassen.c - two matrices multiplied by Strassen's seven products: strassen of the DRDP paper
 *
 * Tasks of one product: two that add quarters of the factors, seven products of half the size, and
 * two that add those.  Promises order them: a product waits for the sums it needs, and an addition
 * for its products. Squares of 16 or 32 are multiplied directly.
 * The product times a vector has to be what the factors make of it.
 *
 * Mistake: one addition does not wait for one of its products.
 */
#include "program.h"

enum { PRODUCTS = 7, SUMS = 10 };

static const struct size {
	int n, base;
} sizes[] = {{64, 16}, {512, 32}, {2048, 32}, {512, 16}};

static int n, base;
static double *a, *b, *c;

/* A square part of a matrix whose rows are `stride` apart. */
struct square {
	double *at;
	int stride;
};

static struct square quarter(struct square s, int half, int which)
{
	return (struct square){s.at + (which / 2) * half * s.stride + which % 2 * half, s.stride};
}

struct product {
	struct square c, a, b;
	int n;
};

/* What the tasks of one product share. */
struct state {
	struct product product;
	int half;
	double *memory; /* ten sums, seven products */
	struct snag_promise summed[2], multiplied[PRODUCTS];
};

struct part {
	struct state *state;
	int number;
};

static struct square stored(const struct state *s, int number)
{
	return (struct square){s->memory + (size_t)number * (size_t)s->half * (size_t)s->half,
			       s->half};
}

static void combine(struct square to, struct square x, double factor, struct square y, int size)
{
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++)
			to.at[i * to.stride + j] =
				x.at[i * x.stride + j] + factor * y.at[i * y.stride + j];
}

static void multiply_directly(const struct product *p)
{
	for (int i = 0; i < p->n; i++)
		for (int j = 0; j < p->n; j++) {
			double sum = 0;
			for (int k = 0; k < p->n; k++)
				sum += p->a.at[i * p->a.stride + k] * p->b.at[k * p->b.stride + j];
			p->c.at[i * p->c.stride + j] = sum;
		}
}

/* The five sums of quarters of A, or of B: of these quarters, the second times the factor. */
static void add_quarters(void *arg)
{
	static const struct {
		int x, y, factor;
	} rule[SUMS] = {{0, 3, 1}, {2, 3, 1},  {0, 1, 1},  {2, 0, -1}, {1, 3, -1},
			{0, 3, 1}, {1, 3, -1}, {2, 0, -1}, {0, 1, 1},  {2, 3, 1}};
	struct part part = *(const struct part *)arg;
	const struct state *s = part.state;
	struct square from = part.number ? s->product.b : s->product.a;
	for (int i = 5 * part.number; i < 5 * part.number + 5; i++)
		combine(stored(s, i), quarter(from, s->half, rule[i].x), rule[i].factor,
			quarter(from, s->half, rule[i].y), s->half);
}

static void multiply(const struct product *p);

static const struct {
	int a, b; /* below 10: a sum; from there on: a quarter */
} factors[PRODUCTS] = {{0, 5}, {1, 10}, {10, 6}, {13, 7}, {2, 13}, {3, 8}, {4, 9}};

/* One of the seven: of a sum or a quarter of A with one of B. */
static void multiply_part(void *arg)
{
	struct part part = *(const struct part *)arg;
	struct state *s = part.state;
	int x = factors[part.number].a, y = factors[part.number].b;
	struct product product = {
		stored(s, SUMS + part.number),
		x < SUMS ? stored(s, x) : quarter(s->product.a, s->half, x - SUMS),
		y < SUMS ? stored(s, y) : quarter(s->product.b, s->half, y - SUMS), s->half};
	multiply(&product);
}

static const struct {
	int quarter, count, product[4], factor[4];
} rule[4] = {{0, 4, {0, 3, 4, 6}, {1, 1, -1, 1}},
	     {1, 2, {2, 4}, {1, 1}},
	     {2, 2, {1, 3}, {1, 1}},
	     {3, 4, {0, 1, 2, 5}, {1, -1, 1, 1}}};

/* Two quarters of C: each a sum of products. */
static void add_products(void *arg)
{
	struct part part = *(const struct part *)arg;
	struct state *s = part.state;
	for (int r = 2 * part.number; r < 2 * part.number + 2; r++) {
		struct square to = quarter(s->product.c, s->half, rule[r].quarter);
		combine(to, stored(s, SUMS + rule[r].product[0]), rule[r].factor[1],
			stored(s, SUMS + rule[r].product[1]), s->half);
		for (int i = 2; i < rule[r].count; i++)
			combine(to, to, rule[r].factor[i], stored(s, SUMS + rule[r].product[i]),
				s->half);
	}
}

static struct program_after part_new(struct state *s, int number, snag_task_function *function)
{
	struct program_after after = {.function = function};
	memcpy(after.arg, &(struct part){s, number}, sizeof(struct part));
	return after;
}

static void sums_create(struct state *s)
{
	for (int i = 0; i < 2; i++) {
		struct program_after after = part_new(s, i, add_quarters);
		after.done = &s->summed[i];
		program_async_after(&after);
	}
}

static void products_create(struct state *s)
{
	for (int i = 0; i < PRODUCTS; i++) {
		struct program_after after = part_new(s, i, multiply_part);
		after.done = &s->multiplied[i];
		program_need(&after, factors[i].a < SUMS ? &s->summed[0] : NULL);
		program_need(&after, factors[i].b < SUMS ? &s->summed[1] : NULL);
		program_async_after(&after);
	}
}

static void quarters_create(struct state *s)
{
	for (int half = 0; half < 2; half++) {
		struct program_after after = part_new(s, half, add_products);
		for (int r = 2 * half; r < 2 * half + 2; r++)
			for (int i = 0; i < rule[r].count; i++)
				if (!MISTAKE || rule[r].product[i] != 5)
					program_need(&after, &s->multiplied[rule[r].product[i]]);
		program_async_after(&after);
	}
}

static void multiply(const struct product *p)
{
	if (p->n <= base) {
		multiply_directly(p);
		return;
	}
	int half = p->n / 2;
	struct state s = {.product = *p, .half = half};
	s.memory = program_array((size_t)(SUMS + PRODUCTS) * (size_t)half,
				 (size_t)half * sizeof(double));
	for (int i = 0; i < 2; i++)
		snag_promise_init(&s.summed[i]);
	for (int i = 0; i < PRODUCTS; i++)
		snag_promise_init(&s.multiplied[i]);
	snag_finish
	{
		/* What waits is created before what it waits for, so that tasks do wait. */
		if (!PROGRAM_IN_ORDER)
			quarters_create(&s);
		sums_create(&s);
		products_create(&s);
		if (PROGRAM_IN_ORDER)
			quarters_create(&s);
	}
	free(s.memory);
}

static void first(void *arg)
{
	(void)arg;
	struct product all = {{c, n}, {a, n}, {b, n}, n};
	multiply(&all);
}

int main(int argc, char **argv)
{
	struct size size = sizes[program_size_before(SIZES, argc, argv)];
	n = size.n;
	base = size.base;
	a = program_matrix(n, 1);
	b = program_matrix(n, 2);
	c = program_array((size_t)n * (size_t)n, sizeof(*c));
	program_launch(first);
	return program_end(program_is_product(n, a, b, c));
}
