/* SPDX-License-Identifier: Apache-2.0
 *
 * task_verdict.c - what a run of a program of tasks proves, from the findings and the obstacles
 */
#include "cli/run/task_verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *kind, *words;
} obstacle[RT_OBSTACLES] = {
#define OBSTACLE(name, kind, is_judged, is_answer, words) [RT_OBSTACLE_##name] = {kind, words},
#include "trace/obstacles.def"
#undef OBSTACLE
};

bool cli_is_of_tasks(const struct snag_analysis *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (snag_detector_is_of_tasks(a->detector[i]))
			return true;
	return false;
}

void cli_certificate_obstacle(struct snag_certificate *c, enum rt_obstacle what, snag_loc loc)
{
	snag_obstacle_at(snag_certificate_add(c, obstacle[what].kind, "%s", obstacle[what].words),
			 loc);
}

static void notes_add(struct snag_certificate *c, const struct snag_convert_notes *notes)
{
	if (notes->ended + (notes->nwaits > 0) < notes->launched) /* a deadlock is a verdict */
		snag_certificate_add(
			c, "unfinished",
			"the program ended, or went on, before all its tasks had ended");
	if (notes->left_out.n)
		snag_obstacle_at(snag_certificate_add(c, "not-looked-at",
						      "its tasks use semaphores, conditions or "
						      "threads, which were not looked at"),
				 notes->left_out.loc);
	for (enum rt_obstacle k = 0; k < RT_OBSTACLES; k++)
		if (notes->obstacle[k].n)
			cli_certificate_obstacle(c, k, notes->obstacle[k].loc);
}

void cli_certificate(struct snag_certificate *ret, const struct snag_analysis *a,
		     const struct snag_source *src, const struct snag_live_end *end)
{
	struct snag_certificate c = {0};
	bool is_proved = false, has_races = false;
	if (a->interrupted)
		snag_certificate_add(&c, "interrupted", "the analysis was interrupted");
	notes_add(&c, &end->notes);
	if (src->skipped)
		snag_certificate_add(&c, "skipped", "%llu of its events could not be judged",
				     (unsigned long long)src->skipped);
	for (size_t i = 0; i < a->n; i++) {
		is_proved |= a->findings[i].race_free;
		has_races |= a->findings[i].nraces > 0;
	}
	for (size_t i = 0; i < a->n && !is_proved; i++)
		snag_certificate_findings(&c, &a->findings[i], snag_analysis_names(a, src));
	if (!is_proved && !has_races && c.n == 0)
		snag_certificate_add(&c, "detector", "no detector can prove it");
	c.is_race_free = is_proved && c.n == 0;
	*ret = c;
}

/* "depend(in: x) depend(out: a+0x8)"; as many as there is room for. */
static void depends_text(const struct snag_source *live, snag_tid task, uint64_t n, char *buf,
			 size_t room)
{
	static const char *const kind[RT_LABELS] = {
		[RT_LABEL_IN] = "in",
		[RT_LABEL_OUT] = "out",
		[RT_LABEL_MUTEX] = "mutexinoutset",
		[RT_LABEL_SET] = "inoutset",
	};
	const struct snag_depend *d;
	const char *name;
	for (size_t at = 0; (d = snag_live_depend(live, n, &name)) && d->task == task; n++) {
		char words[SNAG_LABEL_ROOM], short_name[SNAG_LABEL_ROOM / 2];
		snag_variable_text(name, short_name, sizeof(short_name));
		size_t len = (size_t)snprintf(words, sizeof(words), "%sdepend(%s: %s)",
					      at ? " " : "", kind[d->kind], short_name);
		if (at + len + sizeof(" ...") > room) {
			snprintf(buf + at, room - at, " ...");
			return;
		}
		memcpy(buf + at, words, len + 1);
		at += len;
	}
}

enum snag_label_kind cli_task_label(void *live, snag_tid task, char *buf, size_t room)
{
	static const struct {
		const char *words;
		enum snag_label_kind kind;
	} about[RT_LABELS] = {
		[RT_LABEL_ITERATION] = {"iteration %" PRIu64 " of a loop", SNAG_LABEL_SHARE},
		[RT_LABEL_PART] = {"an iteration of thread %" PRIu64 "'s part of a loop",
				   SNAG_LABEL_SHARE},
		[RT_LABEL_SECTION] = {"section %" PRIu64, SNAG_LABEL_SHARE},
		[RT_LABEL_THREAD] = {"thread %" PRIu64 " of a team", SNAG_LABEL_THREAD},
		[RT_LABEL_TEAM] = {"team %" PRIu64 " of a league", SNAG_LABEL_THREAD},
		[RT_LABEL_COMBINE] = {"end of a reduction in thread %" PRIu64 " of a team",
				      SNAG_LABEL_THREAD},
	};
	struct snag_label label = snag_live_label(live, task);
	if (label.kind >= RT_LABEL_IN) {
		depends_text(live, task, label.number, buf, room);
		return SNAG_LABEL_TASK;
	}
	if (label.kind != RT_LABEL_NONE)
		snprintf(buf, room, about[label.kind].words, label.number);
	return about[label.kind].kind;
}
