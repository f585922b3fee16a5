/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parallel_random.c - random programs of tasks on several workers
 *
 * Whether such a program ends or deadlocks, and how far each task comes, does not depend on
 * the schedule.  So each program runs depth first under a detector (which
 * test_task_random.c checks), and on 1 to 4 workers, and must do the same.  In addition the
 * end of each finish, sync and get checks that what it waited for has happened.
 */
#include "unit.h"

#include <snag/task.h>
#include "task/hooks.h"
#include "task_programs.h"

#include <stdatomic.h>
#include <string.h>

enum { PROGRAMS = 1500 };

static struct snag_promise promise[PROMISES];
static atomic_int has_value[PROMISES]; /* was about to be set */
static atomic_int begun, ended, done, violations;

/* Tasks that a finish or frame waits for: created, and ended. */
struct account {
	struct account *outer; /* the finish around a finish */
	atomic_int created, ended;
};

struct job { /* the argument of a task, its own */
	const struct stmt *body;
	struct account *finish, *frame;
};

static void must_hold(bool holds)
{
	if (!holds)
		atomic_fetch_add(&violations, 1);
}

static void block_run(const struct stmt *s, struct account *finish, struct account *frame);

static void job_run(void *arg)
{
	struct job *job = arg;
	struct account frame = {0};
	atomic_fetch_add(&begun, 1);
	block_run(job->body, job->finish, &frame);
	snag_sync();
	must_hold(frame.created == frame.ended);
	atomic_fetch_add(&ended, 1);
	for (struct account *f = job->finish; f; f = f->outer)
		atomic_fetch_add(&f->ended, 1);
	if (job->frame)
		atomic_fetch_add(&job->frame->ended, 1);
}

static void job_create(const struct stmt *s, struct account *finish, struct account *frame)
{
	struct job job = {s->body, finish, s->kind == SPAWN ? frame : NULL};
	for (struct account *f = finish; f; f = f->outer)
		atomic_fetch_add(&f->created, 1);
	if (job.frame) {
		atomic_fetch_add(&frame->created, 1);
		snag_spawn_copy(job_run, &job, sizeof(job));
	} else {
		snag_async_copy(job_run, &job, sizeof(job));
	}
}

static void inner_run(const struct stmt *s, struct account *outer)
{
	struct account finish = {.outer = outer}, frame = {0};
	if (s->kind == FINISH) {
		snag_finish
		{
			block_run(s->body, &finish, &frame);
		}
		must_hold(finish.created == finish.ended);
	} else {
		snag_frame
		{
			block_run(s->body, outer, &frame);
		}
	}
	must_hold(frame.created == frame.ended);
}

static void block_run(const struct stmt *s, struct account *finish, struct account *frame)
{
	for (; s; s = s->next) {
		switch (s->kind) {
		case ASYNC:
		case SPAWN:
			job_create(s, finish, frame);
			break;
		case FINISH:
		case FRAME:
			inner_run(s, finish);
			break;
		case SYNC:
			snag_sync();
			must_hold(frame->created == frame->ended);
			break;
		case SET:
			atomic_store(&has_value[s->promise], 1);
			snag_promise_set(&promise[s->promise], &promise[s->promise]);
			must_hold(snag_promise_is_set(&promise[s->promise]) ||
				  promise[s->promise].claimed);
			break;
		case GET:
			must_hold(snag_promise_get(&promise[s->promise]) == &promise[s->promise]);
			must_hold(atomic_load(&has_value[s->promise]));
			break;
		case ISOLATED:
			snag_isolated
			{
				atomic_fetch_add(&done, 1);
			}
			break;
		case KINDS:
			break;
		}
		atomic_fetch_add(&done, 1);
	}
}

static void program_run(void *arg)
{
	struct job job = {.body = arg};
	job_run(&job);
}

static bool is_attached;
static size_t nevents;

static void count_event(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	nevents++;
}

static const struct snag_task_hooks hooks = {.event = count_event};

const struct snag_task_hooks *__snag_task_hooks(void)
{
	return is_attached ? &hooks : NULL;
}

struct outcome {
	int result, begun, ended, done;
};

static struct outcome run(const struct stmt *program, unsigned workers)
{
	struct snag_launch_options options = {.workers = workers, .stack_bytes = 64 << 10};
	memset(promise, 0, sizeof(promise));
	for (int i = 0; i < PROMISES; i++)
		atomic_store(&has_value[i], 0);
	begun = ended = done = violations = 0;
	int result = snag_launch_with(&options, program_run, (void *)program);
	assert_int_equal(violations, 0);
	return (struct outcome){result, begun, ended, done};
}

static void every_schedule_does_the_same(void **state)
{
	int deadlocks = 0;
	snag_random_init(&rng, 6);
	for (int i = 0; i < PROGRAMS; i++) {
		nstmts = 0;
		const struct stmt *program = block_random(DEPTH);
		is_attached = true;
		struct outcome expected = run(program, 1);
		is_attached = false;
		assert_true(nevents > 0);
		for (unsigned workers = 1; workers <= 4; workers++) {
			struct outcome got = run(program, workers);
			assert_int_equal(got.result, expected.result);
			assert_int_equal(got.begun, expected.begun);
			assert_int_equal(got.ended, expected.ended);
			assert_int_equal(got.done, expected.done);
		}
		deadlocks += expected.result == SNAG_DEADLOCK;
	}
	print_message("%d programs, %d of them end in a deadlock\n", PROGRAMS, deadlocks);
	assert_in_range(deadlocks, PROGRAMS / 5, PROGRAMS * 4 / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_schedule_does_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
