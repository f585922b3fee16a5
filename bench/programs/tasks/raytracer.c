/* SPDX-License-Identifier: Apache-2.0
 *
 * raytracer.c - 64 shining spheres under five lights: RayTracer of the Java Grande suite
 *
 * One task per row of the picture; each adds what it has seen to one checksum, isolated. The sum
 * of the picture has to be the checksum.
 *
 * Mistake: the checksum is added to without isolation.
 */
#include "program.h"

enum { SPHERES = 64, LIGHTS = 5, DEPTH = 3 };
static const int sizes[] = {16, 400, 500};

struct vector {
	double x, y, z;
};

struct sphere {
	struct vector centre;
	double radius, shine;
	struct vector colour;
};

static int n;
static struct sphere sphere[SPHERES];
static struct vector light[LIGHTS];
static unsigned *picture;
static long checksum;

static struct vector add(struct vector a, double factor, struct vector b)
{
	return (struct vector){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

static double dot(struct vector a, struct vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector unit(struct vector a)
{
	return add((struct vector){0, 0, 0}, 1 / sqrt(dot(a, a)), a);
}

/* The first sphere that the ray meets, and after which way; or -1. */
static int meet(struct vector from, struct vector to, double *way)
{
	int found = -1;
	for (int i = 0; i < SPHERES; i++) {
		struct vector across = add(sphere[i].centre, -1, from);
		double b = dot(across, to);
		double d = b * b - dot(across, across) + sphere[i].radius * sphere[i].radius;
		if (d < 0)
			continue;
		double t = b - sqrt(d);
		if (t > 1e-6 && (found < 0 || t < *way)) {
			found = i;
			*way = t;
		}
	}
	return found;
}

static struct vector see(struct vector from, struct vector to, int depth)
{
	struct vector colour = {0, 0, 0};
	double way = 0, unused;
	int i = meet(from, to, &way);
	if (i < 0)
		return colour;
	struct vector point = add(from, way, to);
	struct vector normal = unit(add(point, -1, sphere[i].centre));
	for (int l = 0; l < LIGHTS; l++) {
		struct vector across = unit(add(light[l], -1, point));
		double bright = dot(normal, across);
		if (bright > 0 && meet(point, across, &unused) < 0)
			colour = add(colour, bright / LIGHTS, sphere[i].colour);
	}
	if (depth < DEPTH) {
		struct vector mirrored = add(to, -2 * dot(to, normal), normal);
		colour = add(colour, sphere[i].shine, see(point, mirrored, depth + 1));
	}
	return colour;
}

static unsigned dots(double bright)
{
	return bright >= 1 ? 255 : (unsigned)(bright * 255);
}

static void trace(void *arg)
{
	const struct program_range *range = arg;
	long sum = 0;
	for (int y = range->from; y < range->to; y++)
		for (int x = 0; x < n; x++) {
			struct vector to = {2.0 * x / n - 1, 2.0 * y / n - 1, 2};
			struct vector c = see((struct vector){0, 0, -20}, unit(to), 0);
			picture[y * n + x] = dots(c.x) << 16 | dots(c.y) << 8 | dots(c.z);
			sum += dots(c.x) + dots(c.y) + dots(c.z);
		}
	if (MISTAKE)
		checksum += sum;
	else
		snag_isolated checksum += sum;
}

static void first(void *arg)
{
	(void)arg;
	program_for(n, 1, trace);
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	picture = program_array((size_t)n * (size_t)n, sizeof(*picture));
	for (int i = 0; i < SPHERES; i++) {
		struct vector centre = {i % 4 * 6 - 9, i / 4 % 4 * 6 - 9, i / 16 * 6 + 10};
		sphere[i] = (struct sphere){centre, 2, 0.3, {1, 0.5 + i / 128.0, 0.8}};
	}
	for (int l = 0; l < LIGHTS; l++)
		light[l] = (struct vector){l * 50 - 100, 60 - l * 20, -100};
	program_launch(first);
	long sum = 0;
	for (int i = 0; i < n * n; i++)
		sum += (picture[i] >> 16) + (picture[i] >> 8 & 255) + (picture[i] & 255);
	return program_end(sum == checksum && sum > 0);
}
