/* SPDX-License-Identifier: Apache-2.0
 *
 * test_loans.c - whether tasks that know a stack were waited for: random trees of tasks
 *
 * The test keeps the whole tree, and looks in it for a task that runs and knows a stack.  Then the
 * flags of own/loans.h must say that a loan is open.
 */
#include "unit.h"

#include "own/loans.h"

#include <string.h>

static uint64_t seed;
static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed >> 20) % n);
}

enum { TASKS = 40, STEPS = 120, SEQUENCES = 3000, GROUPS = 4 };

static struct task {
	struct own_loans loans, before[GROUPS];
	int creator, ngroups;
	int group; /* of the creator when it was created, how many were open */
	bool is_lent, has_ended;
} task[TASKS];
static int ntasks;

static bool is_below(int x, int of)
{
	while (x > of)
		x = task[x].creator;
	return x == of;
}

/* Whether a task may know the stack of x by its own arguments, or by those of its creator. */
static bool is_known_by(int x, int k)
{
	if (task[k].creator == x)
		return task[k].is_lent;
	return task[k].creator > x && is_known_by(x, task[k].creator);
}

static bool has_children(int x)
{
	for (int i = 1; i < ntasks; i++)
		if (task[i].creator == x && !task[i].has_ended)
			return true;
	return false;
}

/* Those that were created in the present group of x, and below. */
static bool has_members(int x)
{
	for (int i = 1; i < ntasks; i++) {
		int child = i;
		while (task[child].creator > x)
			child = task[child].creator;
		if (is_below(i, x) && i != x && task[child].creator == x &&
		    task[child].group >= task[x].ngroups && !task[i].has_ended)
			return true;
	}
	return false;
}

static void step(int x)
{
	struct task *t = &task[x];
	switch (below(5)) {
	case 0:
	case 1:
		if (ntasks == TASKS)
			break;
		task[ntasks++] =
			(struct task){.creator = x, .group = t->ngroups, .is_lent = below(2)};
		own_loans_create(&t->loans, false);
		own_loans_lend(&t->loans, task[ntasks - 1].is_lent);
		break;
	case 2:
		if (x == 0 || t->ngroups)
			break;
		t->has_ended = true;
		own_loans_end(&task[t->creator].loans, &t->loans, t->is_lent);
		break;
	case 3:
		if (!has_children(x))
			own_loans_wait(&t->loans);
		break;
	default:
		if (t->ngroups < GROUPS && below(2))
			t->before[t->ngroups++] = t->loans;
		else if (t->ngroups && !has_members(x))
			own_loans_group_end(&t->loans, t->before[--t->ngroups]);
	}
}

static void open_loans_are_known(void **state)
{
	unsigned nsettled = 0, nlent = 0;
	for (unsigned s = 0; s < SEQUENCES; s++) {
		seed = 88172645463325252u + s;
		memset(task, 0, sizeof(task));
		ntasks = 1;
		for (unsigned i = 0; i < STEPS; i++) {
			int x = (int)below((unsigned)ntasks);
			bool was_lent = task[x].loans.has_lent;
			if (task[x].has_ended)
				continue;
			step(x);
			nsettled += was_lent && !task[x].loans.has_lent;
			for (int k = 1; k < ntasks; k++)
				for (int of = 0; of < k && !task[k].has_ended; of++) {
					if (!task[of].has_ended && is_below(k, of) &&
					    is_known_by(of, k)) {
						nlent++;
						assert_true(task[of].loans.has_lent);
					}
				}
		}
	}
	assert_true(nsettled > SEQUENCES / 10 && nlent > SEQUENCES);
	own_loans_barrier(&task[0].loans);
	assert_false(task[0].loans.has_lent | task[0].loans.has_passed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(open_loans_are_known)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
