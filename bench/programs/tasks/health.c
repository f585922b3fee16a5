/* SPDX-License-Identifier: Apache-2.0
 *
 * health.c - villages with hospitals, and patients on their way: Health of the BOTS suite
 *
 * A tree of villages, 4 levels with 18 below each in the paper's size, which makes 6,174 tasks a
 * day and, in 365 days, as many as the paper counts. A village simulates those below it in tasks,
 * does its own patients, waits, and takes the patients whom the others sent up.  Unlike in BOTS these
 * wait in lists of the villages that sent them, so that no lock is needed and the result does not
 * depend on the schedule.  Nobody may get lost, and the same without tasks has to give the
 * same numbers.
 *
 * Mistake: a village does not wait before it takes the patients sent up.
 */
#include "program.h"

enum { ASSESS_TIME = 3, TREAT_TIME = 10, STAFF = 2 };

static const struct size {
	int levels, below, days, people;
} sizes[] = {{3, 3, 20, 10}, {4, 18, 20, 20}, {4, 18, 365, 20}};

struct patient {
	struct patient *next;
	int days_left, visits;
	unsigned random;
};

struct list {
	struct patient *first, **end;
};

struct village {
	struct village *below;
	int level, free_staff;
	struct list home, waiting, assessed, inside, sent;
};

static struct size size;
static bool with_tasks;

static void list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void append(struct list *list, struct patient *patient)
{
	patient->next = NULL;
	*list->end = patient;
	list->end = &patient->next;
}

/* Calls `where` for each patient, who goes to the end of the list it says. */
static void distribute(struct village *village, struct list *list,
		       struct list *where(struct village *, struct patient *))
{
	struct patient *patient = list->first, *next;
	list_init(list);
	for (; patient; patient = next) {
		next = patient->next;
		append(where(village, patient), patient);
	}
}

static bool chance(struct patient *patient, double p)
{
	return program_random_real(&patient->random) < p;
}

static struct list *after_inside(struct village *village, struct patient *patient)
{
	if (--patient->days_left > 0)
		return &village->inside;
	village->free_staff++;
	return &village->home;
}

static struct list *after_assessed(struct village *village, struct patient *patient)
{
	if (--patient->days_left > 0)
		return &village->assessed;
	if (chance(patient, 0.15) && village->level < size.levels) {
		village->free_staff++;
		return &village->sent;
	}
	if (chance(patient, 0.5)) {
		patient->days_left = TREAT_TIME;
		return &village->inside;
	}
	village->free_staff++;
	return &village->home;
}

static struct list *after_waiting(struct village *village, struct patient *patient)
{
	if (village->free_staff == 0)
		return &village->waiting;
	village->free_staff--;
	patient->days_left = ASSESS_TIME;
	patient->visits++;
	return &village->assessed;
}

static struct list *after_home(struct village *village, struct patient *patient)
{
	return chance(patient, 0.02) ? &village->waiting : &village->home;
}

static void day(void *arg)
{
	struct village *village = *(struct village **)arg;
	int below = village->level > 1 ? size.below : 0;
	for (int i = 0; i < below; i++) {
		struct village *lower = &village->below[i];
		if (with_tasks)
			snag_spawn_copy(day, &lower, sizeof(struct village *));
		else
			day(&lower);
	}
	distribute(village, &village->inside, after_inside);
	distribute(village, &village->assessed, after_assessed);
	distribute(village, &village->waiting, after_waiting);
	distribute(village, &village->home, after_home);
	if (with_tasks && !MISTAKE)
		snag_sync();
	for (int i = 0; i < below; i++) {
		struct patient *sent = village->below[i].sent.first, *next;
		list_init(&village->below[i].sent);
		for (; sent; sent = next) {
			next = sent->next;
			append(&village->waiting, sent);
		}
	}
}

static void make_village(struct village *village, int level, unsigned *seed)
{
	struct list *lists[] = {&village->home, &village->waiting, &village->assessed,
				&village->inside, &village->sent};
	for (int i = 0; i < 5; i++)
		list_init(lists[i]);
	village->level = level;
	village->free_staff = STAFF << level;
	for (int i = 0; i < size.people; i++) {
		struct patient *patient = program_array(1, sizeof(*patient));
		patient->random = program_random(seed);
		append(&village->home, patient);
	}
	if (level == 1)
		return;
	village->below = program_array((size_t)size.below, sizeof(*village->below));
	for (int i = 0; i < size.below; i++)
		make_village(&village->below[i], level - 1, seed);
}

struct count {
	long people, visits;
};

static void count(const struct village *village, struct count *sum)
{
	const struct list *lists[] = {&village->home, &village->waiting, &village->assessed,
				      &village->inside, &village->sent};
	for (int i = 0; i < 5; i++)
		for (const struct patient *p = lists[i]->first; p; p = p->next) {
			sum->people++;
			sum->visits += p->visits;
		}
	for (int i = 0; village->level > 1 && i < size.below; i++)
		count(&village->below[i], sum);
}

static void simulate(void *arg)
{
	for (int i = 0; i < size.days; i++)
		day(arg);
}

static struct village *top; /* program_launch() has no argument */

static void first(void *arg)
{
	(void)arg;
	simulate(&top);
}

static struct count result(bool tasks)
{
	unsigned seed = 23;
	struct count sum = {0, 0};
	top = program_array(1, sizeof(*top));
	make_village(top, size.levels, &seed);
	with_tasks = tasks;
	if (tasks)
		program_launch(first);
	else
		simulate(&top);
	count(top, &sum);
	return sum;
}

int main(int argc, char **argv)
{
	size = sizes[program_size(argc, argv)];
	struct count found = result(true), expected = result(false);
	return program_end(found.people == expected.people && found.visits == expected.visits &&
			   found.visits > 0);
}
