/* SPDX-License-Identifier: Apache-2.0
 *
 * fasta.c - a random sequence of DNA: Fasta of the Computer Language Shootout
 *
 * Four tasks, each with a quarter of the sequence; each starts the one random generator
 * where its quarter starts.  Generating it from start to end has to give the same.
 *
 * Mistake: all use one generator.
 */
#include "program.h"

enum { TASKS = 4, MODULUS = 139968, FACTOR = 3877, ADDEND = 29573, SEED = 42 };
static const int sizes[] = {1000, 10000000, 50000000};

static int n;
static char *sequence;
static int shared_generator = SEED;

static const struct {
	char letter;
	float until;
} table[] = {
	{'a', 0.3029549426680f}, {'c', 0.5009432431601f}, {'g', 0.6984905497992f}, {'t', 1.0f}};

static int step(int x)
{
	return (x * FACTOR + ADDEND) % MODULUS;
}

/* After `steps` steps, by squaring the step. */
static int jump(int x, int steps)
{
	long factor = FACTOR, addend = ADDEND, to = x;
	for (; steps > 0; steps /= 2) {
		if (steps % 2)
			to = (to * factor + addend) % MODULUS;
		addend = (addend * factor + addend) % MODULUS;
		factor = factor * factor % MODULUS;
	}
	return (int)to;
}

static char letter(int x)
{
	int i = 0;
	while ((float)x / MODULUS >= table[i].until)
		i++;
	return table[i].letter;
}

static void generate(void *arg)
{
	const struct program_range *range = arg;
	int own = jump(SEED, range->from), *x = MISTAKE ? &shared_generator : &own;
	for (int i = range->from; i < range->to; i++)
		sequence[i] = letter(*x = step(*x));
}

static void first(void *arg)
{
	(void)arg;
	program_for(n, (n + TASKS - 1) / TASKS, generate);
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	sequence = program_array((size_t)n, 1);
	program_launch(first);
	bool is_right = true;
	int x = SEED;
	for (int i = 0; i < n; i++)
		is_right &= sequence[i] == letter(x = step(x));
	return program_end(is_right);
}
