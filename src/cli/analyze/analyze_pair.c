/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_pair.c - `snag analyze --pair E1,E2`: the reasons why a pair of events is no race
 */
#include "cli/analyze/analyze_pair.h"

#include "report/json_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool number_parse(const char **text, uint64_t *ret)
{
	char *end;
	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*ret = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0;
}

int cli_pair_parse(const char *text, uint64_t *ret_e1, uint64_t *ret_e2, struct snag_error *err)
{
	const char *at = text;
	uint64_t e1, e2;
	if (!number_parse(&at, &e1) || *at++ != ',' || !number_parse(&at, &e2) || *at)
		return snag_fail(err, SNAG_EINPUT,
				 "--pair '%.60s': expected two event numbers, as in 3,8", text);
	*ret_e1 = e1;
	*ret_e2 = e2;
	return 0;
}

static const char *const rules_text[SNAG_RULES] = {[SNAG_RULES_READS] = "reads",
						   [SNAG_RULES_DEPENDENCE] = "dependence",
						   [SNAG_RULES_LITERAL] = "literal"};

/* "event 3, T0 w(x)" */
static size_t event_words(const struct snag_index *ix, uint32_t e, char *to, size_t size)
{
	const struct snag_event *ev = &ix->trace->ev[e];
	const struct snag_op_info *op = &snag_op_info[ev->op];
	const struct snag_names *names = &ix->trace->names;
	const char *thread = snag_name(names, SNAG_SPACE_THREAD, ev->thread);
	int n = op->space == SNAG_SPACE_NONE
			? snprintf(to, size, "event %u, %.60s %s", e, thread, op->text)
			: snprintf(to, size, "event %u, %.60s %s(%.60s)", e, thread, op->text,
				   snag_name(names, op->space, ev->target));
	return (size_t)n < size ? (size_t)n : size - 1;
}

/* The reason in one sentence. */
static void why_words(const struct snag_decided_pair *p, char *to, size_t size)
{
	const struct snag_explanation *x = &p->explanation;
	const struct snag_index *ix = p->ix;
	char a[200] = "", b[200] = "";
	if (x->n) {
		event_words(ix, x->event[0], a, sizeof(a));
		event_words(ix, x->event[x->n - 1], b, sizeof(b));
	}
	switch (x->why) {
	case SNAG_WHY_LOCK:
		snprintf(to, size, "both accesses hold the lock %.60s, taken by %s, and by %s",
			 snag_name(&ix->trace->names, SNAG_SPACE_LOCK,
				   ix->trace->ev[x->event[0]].target),
			 a, b);
		break;
	case SNAG_WHY_ORDERED:
		snprintf(to, size, "%s, comes before %s, in every reordering", a, b);
		break;
	case SNAG_WHY_CYCLE:
		snprintf(to, size, "events would have to come before themselves, as %s", a);
		break;
	case SNAG_WHY_SECTION:
		snprintf(to, size,
			 "the lock %.60s is held: neither the section of %s, nor that of %s, can "
			 "end before the other begins",
			 snag_name(&ix->trace->names, SNAG_SPACE_LOCK,
				   ix->trace->ev[x->event[0]].target),
			 a, b);
		break;
	default:
		snprintf(to, size, "every order of the critical sections and writes contradicts");
	}
}

static bool has_steps(const struct snag_explanation *x)
{
	return x->n > 1 && (x->why == SNAG_WHY_ORDERED || x->why == SNAG_WHY_CYCLE);
}

/* "event 3, T0 w(x), comes before event 5, T1 r(x), as the read must see it" */
static void step_words(const struct snag_decided_pair *p, size_t i, char *to, size_t size)
{
	const struct snag_explanation *x = &p->explanation;
	uint32_t from = x->event[i], then = x->event[(i + 1) % x->n];
	char a[200], b[200];
	event_words(p->ix, from, a, sizeof(a));
	event_words(p->ix, then, b, sizeof(b));
	snprintf(to, size, "%s, comes before %s, %s", a, b, snag_explain_step(p->ix, from, then));
}

static size_t nsteps(const struct snag_explanation *x)
{
	return !has_steps(x) ? 0 : x->why == SNAG_WHY_CYCLE ? x->n : x->n - 1;
}

void cli_refuted_text(const struct snag_decided_pair *p, uint64_t e1, uint64_t e2,
		      struct snag_printer *to)
{
	char text[700];
	why_words(p, text, sizeof(text));
	snag_printf(to, "REFUTED %llu,%llu, by the rules '%s': ", (unsigned long long)e1,
		    (unsigned long long)e2, rules_text[p->rules]);
	snag_print_name(to, text);
	snag_print(to, ".\n");
	for (size_t i = 0; i < nsteps(&p->explanation); i++) {
		step_words(p, i, text, sizeof(text));
		snag_print(to, "  ");
		snag_print_name(to, text);
		snag_print(to, "\n");
	}
}

void cli_refuted_json(const struct snag_decided_pair *p, struct snag_json *j)
{
	const struct snag_explanation *x = &p->explanation;
	char text[700];
	why_words(p, text, sizeof(text));
	snag_json_newline(j);
	snag_json_object(j, "refuted");
	snag_json_string(j, "why", text);
	snag_json_string(j, "kind", snag_why_text[x->why]);
	snag_json_string(j, "rules", rules_text[p->rules]);
	snag_json_array(j, "events");
	for (size_t i = 0; i < x->n; i++)
		snag_json_uint(j, NULL, x->event[i]);
	snag_json_end(j);
	snag_json_array(j, "steps");
	for (size_t i = 0; i < nsteps(x); i++) {
		step_words(p, i, text, sizeof(text));
		snag_json_string(j, NULL, text);
	}
	snag_json_end(j);
	snag_json_end(j);
}
