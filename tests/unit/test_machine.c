/* SPDX-License-Identifier: Apache-2.0
 *
 * test_machine.c - the machine of the task language, driven in the simplest way
 *
 * Children run to their end where they are created, so waits are always over: enough to see
 * what programs compute, and which actions they say.
 */
#include "unit.h"

#include "lang/machine.h"

#include <stdlib.h>
#include <string.h>

struct driver {
	struct snag_program *program;
	struct snag_value slot[64];
	uint32_t nslots, npromises;
	uint64_t steps;
	struct snag_error err;
	char log[1024]; /* a letter for each action */
	unsigned depth;
};

static const char letters[] = "rwnaAS{}()ygs[]ef!";

static void run_task(struct driver *d, struct snag_machine *m)
{
	struct snag_machine child = {0};
	struct snag_action act;
	for (;;) {
		snag_machine_step(m, d->program, &d->steps, &act);
		size_t n = strlen(d->log);
		if (n + 1 < sizeof(d->log))
			d->log[n] = letters[act.kind];
		switch ((enum snag_action_kind)act.kind) {
		case SNAG_ACT_READ:
			snag_machine_give(m, d->slot[act.target]);
			break;
		case SNAG_ACT_WRITE:
			d->slot[act.target] = act.value;
			break;
		case SNAG_ACT_NEW:
			snag_machine_give(
				m, (struct snag_value){.v = d->npromises++, .kind = SNAG_PROMISE});
			break;
		case SNAG_ACT_ALLOC:
			snag_machine_give(m,
					  (struct snag_value){.v = d->nslots++ -
								   snag_program_slots(d->program),
							      .kind = SNAG_CELL});
			break;
		case SNAG_ACT_ASYNC:
		case SNAG_ACT_SPAWN:
			snag_machine_fork(m, &act, &child);
			run_task(d, &child);
			break;
		case SNAG_ACT_FAULT:
			snag_machine_fault(d->program, &act, &d->err);
			goto out;
		case SNAG_ACT_END:
		case SNAG_ACT_LIMIT:
			goto out;
		default:
			break;
		}
	}
out:
	snag_machine_done(&child);
}

static void run(struct driver *d, const char *text)
{
	struct snag_machine m = {0};
	*d = (struct driver){.steps = 1000000};
	if (snag_program_parse("t", text, strlen(text), &d->program, &d->err) < 0)
		fail_msg("%s: %s", text, d->err.msg);
	d->nslots = snag_program_slots(d->program);
	d->npromises = snag_program_promises(d->program);
	for (uint32_t i = 0; i < d->nslots; i++)
		d->slot[i] = snag_program_initial(d->program, i);
	snag_machine_begin(&m, d->program);
	run_task(d, &m);
	snag_machine_done(&m);
	snag_program_free(d->program);
}

/* Programs with a variable x declared first, and its value in the end. */
static const struct {
	const char *text;
	int64_t x;
} computed[] = {
	{"var x = 7; main { }", 7},
	{"var x; main { x = 1 + 2 * 3 - 4 / 2 % 3; }", 5},
	{"var x; main { x = -7 / 2 * 10 + -7 % 2; }", -31},
	{"var x; main { x = 10 - 3 - 2; }", 5},
	{"var x; main { x = (1 < 2) + (2 <= 2) * 10 + (3 > 4) * 100 + (3 >= 4) * 1000; }", 11},
	{"var x; main { x = 1 < 2 == 1; }", 1},
	{"var x; main { x = !0 + !5 * 10 + !!5 * 100; }", 101},
	{"var x; main { x = (2 && 3) + (0 && 1 / 0) * 10 + (0 || 7) * 100 + (5 || 1 / 0) * 1000; }",
	 1101},
	{"var x; main { x = 1 || 0 && 0; }", 1},
	{"var x; main { x = 9223372036854775807 + 1; x = x - 1; }", INT64_MAX},
	{"var x; main { x = (-9223372036854775807 - 1) / -1; }", INT64_MIN},
	{"var x; main { x = (-9223372036854775807 - 1) % -1; }", 0},
	{"var x; main { let i = 3; x = i; if (i == 3) { let i = 4; x = x * 10 + i; } x = x * 10 + "
	 "i; }",
	 343},
	{"var x, i; main { while (i < 10) { let j = i; i = i + 1; x = x + j; } }", 45},
	{"var x, a[4]; main { a[1 + 1] = 5; a[a[2] - 2] = 7; x = a[3] * 10 + a[2]; }", 75},
	{"var x; proc f(n) { if (n < 2) { x = x + n; return; } f(n - 1); f(n - 2); } "
	 "main { f(10); }",
	 55},
	{"var x; proc even(n) { if (n) { odd(n - 1); } else { x = 1; } } "
	 "proc odd(n) { if (n) { even(n - 1); } else { x = 2; } } main { odd(9); }",
	 1},
	{"var x; main { let c = alloc; let d = alloc; *c = d; **c = 8; x = *d + (c == d) * 10; }",
	 8},
	{"var x, p; main { p = new; let q = p; x = (p == q) + (p != new) * 10 + (p == 0) * 100; }",
	 11},
	{"var x; main { let i = 2; async { let j = 3; async { x = i * 10 + j; } let k = 1; } }",
	 23},
	{"var x; proc f(a, b) { x = x * 100 + a * 10 + b; } "
	 "main { let i = 1; async f(i, 2); spawn f(3, i + 3); }",
	 1234},
	{"var x; main { async { x = 1; return; x = 2; } x = x + 10; return; x = 0; }", 11},
	{"var x, a[8]; proc f(n) { let m = n + 1; if (n < 7) { async f(m); } a[n] = m; } "
	 "main { f(0); let i = 7; x = a[0] + a[i] * 10; }",
	 81},
};

static void programs_compute(void **state)
{
	struct driver d;
	for (size_t i = 0; i < sizeof(computed) / sizeof(computed[0]); i++) {
		run(&d, computed[i].text);
		if (d.err.code || d.slot[0].kind != SNAG_INTEGER || d.slot[0].v != computed[i].x)
			fail_msg("%s: x = %lld %s", computed[i].text, (long long)d.slot[0].v,
				 d.err.msg);
	}
}

static const struct {
	const char *text, *actions;
} said[] = {
	{"var x; main { x = x + 1; }", "rwe"},
	{"var x; main { finish { async { x = 1; } } }", "{Awe}e"},
	{"promise p; main { async { set p; } get p; }", "Agese"},
	/* A procedure has a frame if it spawns or syncs itself; the end syncs if it spawns. */
	{"proc f() { spawn { } sync; } main { f(); }", "(Seyy)e"},
	{"proc f() { sync; } main { f(); spawn f(); }", "(y)Syeye"},
	{"proc f() { async { spawn { } } } main { f(); }", "ASeyee"},
	{"proc f() { return; spawn { } } main { f(); }", "(y)e"},
	/* A return closes what is around it. */
	{"var x; proc f() { finish { isolated { x = 1; return; } } } main { f(); x = 2; }",
	 "{[w]}we"},
	{"main { async { finish { return; } } }", "A{}ee"},
	{"var x; main { isolated { isolated { x = 1; } x = 2; } isolated { } }", "[ww][]e"},
	{"main { let a = alloc; let b = new; }", "ane"},
	{"main { while (1) { } }", "!"},
};

static void actions_are_said(void **state)
{
	struct driver d;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		run(&d, said[i].text);
		if (strcmp(d.log, said[i].actions) != 0)
			fail_msg("%s: %s, not %s", said[i].text, d.log, said[i].actions);
	}
}

static const struct {
	const char *text, *error;
} faults[] = {
	{"var a[3]; main {\n\ta[3] = 1; }", "t:2:2: index 3 is outside 'a[3]'"},
	{"var a[3]; main { let b = a[0 - 1]; }", "t:1:26: index -1 is outside 'a[3]'"},
	{"main { let b = 1 / 0; }", "t:1:18: division by zero"},
	{"main { let b = 1 % 0; }", "t:1:18: division by zero"},
	{"promise p; main { let b = p + 1; }",
	 "t:1:29: an integer is needed here, this is a promise"},
	{"main { let b = 1 < alloc; }", "t:1:18: an integer is needed here, this is a cell"},
	{"main { if (new) { } }", "t:1:12: an integer is needed here, this is a promise"},
	{"main { let b = -new; }", "t:1:16: an integer is needed here, this is a promise"},
	{"main { let b = 1 && new; }", "t:1:18: an integer is needed here, this is a promise"},
	{"var a[2]; main { a[new] = 1; }", "t:1:18: an integer is needed here, this is a promise"},
	{"main { get 3; }", "t:1:8: a promise is needed here, this is an integer"},
	{"main { set alloc; }", "t:1:8: a promise is needed here, this is a cell"},
	{"var x; main { *x = 3; }", "t:1:15: a cell is needed behind '*', this is an integer"},
	{"var x; main { x = *new; }", "t:1:19: a cell is needed behind '*', this is a promise"},
};

static void faults_name_their_place(void **state)
{
	struct driver d;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		run(&d, faults[i].text);
		assert_string_equal(d.err.msg, faults[i].error);
	}
}

static void calls_go_deep_but_not_forever(void **state)
{
	struct driver d;
	run(&d, "var x; proc f(n) { if (n) { f(n - 1); } x = x + 1; } main { f(50000); }");
	assert_int_equal(d.slot[0].v, 50001);

	static const char text[] = "proc f(n) { let m = n; f(m); } main { f(1); }";
	struct snag_machine m = {0};
	struct snag_action act;
	struct snag_error err;
	uint64_t steps = UINT64_MAX;
	assert_int_equal(snag_program_parse("t", text, strlen(text), &d.program, &err), 0);
	snag_machine_begin(&m, d.program);
	snag_machine_step(&m, d.program, &steps, &act);
	assert_int_equal(act.kind, SNAG_ACT_FAULT);
	snag_machine_fault(d.program, &act, &err);
	assert_non_null(strstr(err.msg, "too many calls inside each other"));
	snag_machine_done(&m);
	snag_program_free(d.program);
}

static void equal_states_have_equal_bytes(void **state)
{
	/* Behind both branches the task is where it was, whatever locals it had in between. */
	static const char text[] =
		"var x; main { while (1) { if (x) { let a = 3; let b = 4; skip; } "
		"else { let a = new; } x = 0; } }";
	struct snag_program *program;
	struct snag_machine m = {0}, kept = {0};
	struct snag_value stack[16];
	struct snag_action act;
	struct snag_error err;
	uint64_t steps = 1000;
	assert_int_equal(snag_program_parse("t", text, strlen(text), &program, &err), 0);
	snag_machine_begin(&m, program);
	for (int i = 0; i < 4; i++) {
		do {
			snag_machine_step(&m, program, &steps, &act);
			if (act.kind == SNAG_ACT_READ)
				snag_machine_give(&m, snag_integer(i % 2));
			else if (act.kind == SNAG_ACT_NEW)
				snag_machine_give(
					&m, (struct snag_value){.v = i, .kind = SNAG_PROMISE});
		} while (act.kind != SNAG_ACT_WRITE);
		if (i > 0) {
			assert_int_equal(m.pc, kept.pc);
			assert_int_equal(m.fp, kept.fp);
			assert_int_equal(m.sp, kept.sp);
			assert_memory_equal(m.stack, stack, m.sp * sizeof(m.stack[0]));
		}
		kept = m;
		assert_in_range(m.sp, 0, sizeof(stack) / sizeof(stack[0]));
		memcpy(stack, m.stack, m.sp * sizeof(stack[0]));
	}
	snag_machine_done(&m);
	snag_program_free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_compute),
		cmocka_unit_test(actions_are_said),
		cmocka_unit_test(faults_name_their_place),
		cmocka_unit_test(calls_go_deep_but_not_forever),
		cmocka_unit_test(equal_states_have_equal_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
