/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_check.c - `snag check`: is a witness valid?
 */
#include "cli/command.h"
#include "cli/reading.h"
#include "report/printer.h"
#include "witness/witness.h"

struct check_values {
	struct cli_reading reading;
	int rules; /* enum snag_rules */
};

static const struct cli_option check_options[] = {
	{.name = "rules",
	 .kind = CLI_CHOICE,
	 .value = CLI_RULES,
	 .offset = offsetof(struct check_values, rules),
	 .help = "which reads keep their writer: all, or causal ones"},
	{0},
};
_Static_assert(SNAG_RULES_AUTO == 0 && SNAG_RULES_READS == 1 && SNAG_RULES_DEPENDENCE == 2 &&
		       SNAG_RULES_LITERAL == 3,
	       "the words of --rules stand in the order of enum snag_rules");

static void event_words(struct snag_printer *to, const struct snag_trace *trace, uint32_t event)
{
	const struct snag_event *ev = &trace->ev[event];
	snag_print_name(to, snag_name(&trace->names, SNAG_SPACE_THREAD, ev->thread));
	snag_printf(to, " %s(", snag_op_info[ev->op].text);
	snag_print_name(to, snag_name(&trace->names, snag_op_info[ev->op].space, ev->target));
	snag_print(to, ") at ");
	snag_print_name(to, snag_name(&trace->names, SNAG_SPACE_LOCATION, ev->loc));
	snag_printf(to, " (event %u)", event);
}

/* The events that a valid witness shows.  Of a race: the two accesses that end it.  Of a deadlock:
 * the requests that wait for each other behind it.  Of others: the events that it names, the last
 * of which ends it. */
struct shown {
	const char *words, *between;
	const uint32_t *event;
	size_t n;
};

static struct shown shown_of(const struct snag_witness *w)
{
	if (w->request)
		return (struct shown){"that end in a deadlock: ", ", ", w->request, w->nrequests};
	if (w->unit)
		return (struct shown){"with ", ", then ", w->unit, w->nunit};
	if (w->freed)
		return (struct shown){"with ", ", then ", w->freed, w->nfreed};
	return (struct shown){"that end with ", " and ", w->event + w->n - 2, 2};
}

static int valid_write(const struct snag_trace *trace, const struct snag_witness *w,
		       struct snag_error *err)
{
	struct snag_printer to;
	uint64_t n = w->n;
	for (uint32_t t = 0; w->prefix && t < trace->names.space[SNAG_SPACE_THREAD].n; t++)
		n += w->prefix[t];
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	const struct shown shown = shown_of(w);
	snag_printf(&to, "valid: %llu events %s", (unsigned long long)n, shown.words);
	for (size_t i = 0; i < shown.n; i++) {
		snag_print(&to, i ? shown.between : "");
		event_words(&to, trace, shown.event[i]);
		snag_print(&to, w->request ? " waits" : "");
	}
	snag_print(&to, "\n");
	return snag_printer_commit(&to, err);
}

static int witness_check(const struct snag_trace *trace, const struct snag_witness *w,
			 enum snag_rules rules, const char *path, struct snag_error *err)
{
	struct snag_error why;
	int rc = snag_witness_check(trace, w, rules, &why);
	return rc < 0 ? snag_fail(err, rc, "%s: not valid: %s", path, why.msg) : 0;
}

static int check_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct check_values *v = values;
	struct snag_trace trace;
	struct snag_witness witness = {0};
	struct snag_source *src;
	int rc = cli_source_open(operand[0], &v->reading, &src, err);
	if (rc < 0)
		return rc;
	src = cli_watched_source(src, &v->reading);
	snag_trace_init(&trace);
	rc = snag_trace_load(&trace, src, err);
	if (rc == 0)
		cli_skipped_note("check", src);
	snag_source_close(src);
	if (rc == 0)
		rc = snag_witness_read(operand[1], &trace, &witness, err);
	if (rc == 0)
		rc = witness_check(&trace, &witness, (enum snag_rules)v->rules, operand[1], err);
	if (rc == 0)
		rc = valid_write(&trace, &witness, err);
	snag_witness_done(&witness);
	snag_trace_done(&trace);
	return rc;
}

const struct cli_command cli_command_check = {
	.name = "check",
	.summary = "check a witness against its trace, independently of who made it",
	.operands = "TRACE WITNESS",
	.min_operands = 2,
	.max_operands = 2,
	.offer = CLI_OFFER_FILES,
	.options = check_options,
	.common = cli_reading_options,
	.about = "Checks that WITNESS is a valid reordering of TRACE that ends with a race, a\n"
		 "deadlock, an atomicity violation or a use of freed memory: says so (exit\n"
		 "status 0), or which rule it breaks (status 2).\n",
	.values_size = sizeof(struct check_values),
	.run = check_run,
};
