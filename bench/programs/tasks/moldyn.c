/* SPDX-License-Identifier: Apache-2.0
 *
 * moldyn.c - particles that attract and repel each other: MolDyn of the Java Grande suite
 *
 * 50 steps, each of five loops over the particles with one task per particle: move, forces,
 * velocities, kinetic and potential energy. A task computes all forces on its own particle, so
 * that no two write the same. Energy has to be kept, and momentum.
 *
 * Mistake: the force on the other particle is added too, as Newton has it.
 */
#include "program.h"

enum { STEPS = 50 };
static const int sides[] = {2, 5, 8}; /* cells of 4 particles: 32, 500 and 2048 of them */
static const double TIME_STEP = 0.002, DENSITY = 0.83134, TEMPERATURE = 0.722;

struct vector {
	double x, y, z;
};

static int n, side;
static double width, cut;
static struct vector *place, *velocity, *force;
static double *kinetic, *potential;

static double nearest(double d) /* space repeats */
{
	if (d < -width / 2)
		return d + width;
	return d > width / 2 ? d - width : d;
}

static double wrap(double x)
{
	if (x < 0)
		return x + width;
	return x >= width ? x - width : x;
}

static void move(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++) {
		velocity[i].x += force[i].x * TIME_STEP / 2;
		velocity[i].y += force[i].y * TIME_STEP / 2;
		velocity[i].z += force[i].z * TIME_STEP / 2;
		place[i].x = wrap(place[i].x + velocity[i].x * TIME_STEP);
		place[i].y = wrap(place[i].y + velocity[i].y * TIME_STEP);
		place[i].z = wrap(place[i].z + velocity[i].z * TIME_STEP);
	}
}

static void attract(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++) {
		struct vector sum = {0, 0, 0};
		double energy = 0;
		for (int j = 0; j < n; j++) {
			double dx = nearest(place[i].x - place[j].x);
			double dy = nearest(place[i].y - place[j].y);
			double dz = nearest(place[i].z - place[j].z);
			double square = dx * dx + dy * dy + dz * dz;
			if (j == i || square > cut * cut)
				continue;
			double r2 = 1 / square, r6 = r2 * r2 * r2;
			double f = 24 * r2 * r6 * (2 * r6 - 1);
			sum.x += f * dx;
			sum.y += f * dy;
			sum.z += f * dz;
			energy += 2 * r6 * (r6 - 1);
			if (MISTAKE)
				force[j].x -= 0 * f * dx;
		}
		force[i] = sum;
		potential[i] = energy;
	}
}

static void accelerate(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++) {
		velocity[i].x += force[i].x * TIME_STEP / 2;
		velocity[i].y += force[i].y * TIME_STEP / 2;
		velocity[i].z += force[i].z * TIME_STEP / 2;
	}
}

static void measure(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++)
		kinetic[i] = (velocity[i].x * velocity[i].x + velocity[i].y * velocity[i].y +
			      velocity[i].z * velocity[i].z) /
			     2;
}

static void check_place(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++)
		if (!(place[i].x >= 0 && place[i].x < width))
			kinetic[i] = NAN;
}

static void first(void *arg)
{
	(void)arg;
	snag_finish_begin();
	program_for(n, 1, attract);
	snag_finish_end();
	for (int step = 0; step < STEPS; step++) {
		snag_task_function *const loops[] = {move, attract, accelerate, measure,
						     check_place};
		for (int i = 0; i < 5; i++) {
			snag_finish_begin();
			program_for(n, 1, loops[i]);
			snag_finish_end();
		}
	}
}

static double energy(void)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += kinetic[i] + potential[i];
	return sum;
}

/* A lattice with a particle at each corner and in the middle of each side of its cells. */
static void fill(void)
{
	static const double corner[4][3] = {{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}};
	unsigned random = 1;
	int at = 0;
	for (int cell = 0; cell < side * side * side; cell++)
		for (int c = 0; c < 4; c++, at++) {
			place[at].x = (cell % side + corner[c][0]) * width / side;
			place[at].y = (cell / side % side + corner[c][1]) * width / side;
			place[at].z = (cell / side / side + corner[c][2]) * width / side;
			double *v = &velocity[at].x;
			for (int d = 0; d < 3;
			     d++) /* opposite to the one before, so that all rest */
				v[d] = at % 2 ? -v[d - 3]
					      : (program_random_real(&random) - 0.5) *
							sqrt(12 * TEMPERATURE);
		}
}

int main(int argc, char **argv)
{
	side = sides[program_size(argc, argv)];
	n = 4 * side * side * side;
	width = cbrt(n / DENSITY);
	cut = width / 2;
	place = program_array((size_t)n, sizeof(*place));
	velocity = program_array((size_t)n, sizeof(*velocity));
	force = program_array((size_t)n, sizeof(*force));
	kinetic = program_array((size_t)n, sizeof(*kinetic));
	potential = program_array((size_t)n, sizeof(*potential));
	fill();
	program_launch(first);
	double momentum = 0;
	for (int i = 0; i < n; i++)
		momentum += velocity[i].x;
	double end = energy();
	/* The cut makes a small error; a wrong force makes a great one. */
	struct program_range all = {0, n};
	fill();
	memset(force, 0, (size_t)n * sizeof(*force));
	attract(&all);
	measure(&all);
	double begin = energy();
	return program_end(fabs(end - begin) < 0.05 * fabs(begin) && fabs(momentum) < 1e-6 * n);
}
