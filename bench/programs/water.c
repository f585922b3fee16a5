/* SPDX-License-Identifier: Apache-2.0
 *
 * water.c - bodies that push each other away when near, each pair looked at, as Splash's water
 *
 * Threads share out the pairs and add up forces on their own; then they add them to those of
 * the bodies, under a lock for each body.  No momentum may come from nowhere.
 */
#include "program.h"

#include <math.h>

enum { STEPS = 4 };

struct body {
	double at[3], speed[3], force[3];
	pthread_mutex_t lock;
};

static struct body *body;
static double (*pushed)[3]; /* n of each thread */
static double box;
static pthread_barrier_t barrier;

static void pair_push(int i, int j, double (*force)[3])
{
	double apart[3], square = 0;
	for (int d = 0; d < 3; d++) {
		apart[d] = body[i].at[d] - body[j].at[d];
		square += apart[d] * apart[d];
	}
	if (square > box * box / 16)
		return;
	double inverse = 1 / (square + 0.01), strength = inverse * inverse * inverse;
	for (int d = 0; d < 3; d++) {
		force[i][d] += strength * apart[d];
		force[j][d] -= strength * apart[d];
	}
}

static void forces_add(double (*force)[3])
{
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&body[i].lock);
		for (int d = 0; d < 3; d++)
			body[i].force[d] += force[i][d];
		pthread_mutex_unlock(&body[i].lock);
		for (int d = 0; d < 3; d++)
			force[i][d] = 0;
	}
}

static void body_move(struct body *b)
{
	for (int d = 0; d < 3; d++) {
		b->speed[d] += 0.001 * b->force[d];
		b->at[d] += 0.001 * b->speed[d];
		b->force[d] = 0;
	}
}

static void *bodies(void *arg)
{
	int me = (int)(long)arg;
	double(*force)[3] = &pushed[me * n];
	for (int s = 0; s < STEPS; s++) {
		for (int i = me; i < n; i += nthreads)
			for (int j = i + 1; j < n; j++)
				pair_push(i, j, force);
		forces_add(force);
		pthread_barrier_wait(&barrier);
		for (int i = program_share(n, me); i < program_share(n, me + 1); i++)
			body_move(&body[i]);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 3000);
	unsigned state = 1;
	body = program_array((size_t)n, sizeof(*body));
	pushed = program_array((size_t)n * (size_t)nthreads, sizeof(*pushed));
	box = cbrt(n);
	for (int i = 0; i < n; i++) {
		pthread_mutex_init(&body[i].lock, NULL);
		for (int d = 0; d < 3; d++)
			body[i].at[d] = box * program_random(&state) / (1 << 24);
	}
	pthread_barrier_init(&barrier, NULL, (unsigned)nthreads);
	program_threads(bodies);

	double momentum = 0, energy = 0;
	for (int i = 0; i < n; i++)
		for (int d = 0; d < 3; d++) {
			momentum += body[i].speed[d];
			energy += body[i].speed[d] * body[i].speed[d];
		}
	return program_end(fabs(momentum) < 1e-6 && energy > 0 && isfinite(energy));
}
