/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul.c - two matrices multiplied by halves: matmul of the DRDP paper
 *
 * C += A B by quarters: the four products of one half in parallel, three in tasks, then those of
 * the other half; squares of 64 by 64 are multiplied directly.  The product times a vector has to
 * be what the factors make of it.
 *
 * Mistake: the second half does not wait for the first.
 */
#include "program.h"

static const struct size {
	int n, base;
} sizes[] = {{64, 16}, {512, 64}, {2048, 64}};

static int n, base;
static double *a, *b, *c;

struct product {
	double *c;
	const double *a, *b;
	int n;
};

static void multiply_directly(const struct product *p)
{
	for (int i = 0; i < p->n; i++)
		for (int k = 0; k < p->n; k++) {
			double factor = p->a[i * n + k];
			for (int j = 0; j < p->n; j++)
				p->c[i * n + j] += factor * p->b[k * n + j];
		}
}

static void multiply(void *arg)
{
	const struct product *p = arg;
	if (p->n <= base) {
		multiply_directly(p);
		return;
	}
	int half = p->n / 2, down = half * n;
	for (int k = 0; k < 2; k++) {
		for (int quarter = 0; quarter < 4; quarter++) {
			int below = quarter / 2 ? down : 0, right = quarter % 2 ? half : 0;
			struct product part = {p->c + below + right, p->a + below + (k ? half : 0),
					       p->b + (k ? down : 0) + right, half};
			if (quarter < 3)
				snag_spawn_copy(multiply, &part, sizeof(part));
			else
				snag_frame multiply(&part);
		}
		if (!MISTAKE)
			snag_sync();
	}
}

static void first(void *arg)
{
	(void)arg;
	struct product all = {c, a, b, n};
	multiply(&all);
}

int main(int argc, char **argv)
{
	struct size size = sizes[program_size(argc, argv)];
	n = size.n;
	base = size.base;
	a = program_matrix(n, 1);
	b = program_matrix(n, 2);
	c = program_array((size_t)n * (size_t)n, sizeof(*c));
	program_launch(first);
	return program_end(program_is_product(n, a, b, c));
}
