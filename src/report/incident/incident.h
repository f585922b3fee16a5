/* SPDX-License-Identifier: Apache-2.0
 *
 * incident.h - a race in a program, as its authors see it
 *
 * In a trace, the stacks of both accesses identify a race.  A programmer sees two lines that
 * access one variable.  So all races with the same pair of places are one incident, with the
 * stacks of the race with the strongest verdict.  Its id stays the same when lines move
 * (incident_id.c).  Reports show one incident for each cause (incident_group.h).
 */
#ifndef SNAG_REPORT_INCIDENT_H
#define SNAG_REPORT_INCIDENT_H

#include "report/tasks/certificate.h"
#include "report/incident/extent.h"
#include "report/incident/missing_edge.h"
#include "report/source/origins.h"
#include "report/report.h"
#include "report/incident/suppress.h"
#include "report/incident/task_deadlock.h"
#include "trace/callstack.h"

enum snag_replay {
	/* The program was steered to both accesses, next to each other. */
	SNAG_REPLAY_NOT_TRIED,
	SNAG_REPLAY_CONFIRMED,
	SNAG_REPLAY_DIVERGED, /* the program did not follow the witness */
};

/* How far the replays of a run came in the available time. */
struct snag_replay_tally {
	struct snag_replay_count {
		size_t tried, left; /* left: not tried, or not finished, because the time was
				     * over */
		size_t refuted;	    /* by dependence, so the last to be tried */
	} predicted, suspects;
	bool was_interrupted; /* a signal, not the time, ended them */
	uint64_t enough;      /* seconds that would probably suffice for all */
};

struct snag_schedules;

/* Another race of the same cause. */
struct snag_incident_more {
	const struct snag_race *race;
	char id[24]; /* its id as a report of its own; "": the same as the entry before it */
};

struct snag_incident {
	char id[24]; /* "R-1a2b3c4d"; once grouped, unique in this report */
	/* Of the races of this cause, the one with the strongest verdict. */
	const struct snag_race *race;
	const char *found_by; /* the detector with this verdict */
	/* The race that has a witness: see struct snag_merged_race. */
	const struct snag_race *proof;
	uint32_t witness;		 /* the number of that witness */
	uint64_t count;			 /* pairs of events */
	size_t stacks;			 /* pairs of stacks */
	struct snag_callstack stack[2];	 /* of race->first, race->second */
	struct snag_callstack read;	 /* of race->read, if race->is_atomicity */
	struct snag_variables variables; /* of all races of this cause */
	struct snag_extent extent;	 /* of the races on one object */
	char *called;			 /* its source name, if on a stack; NULL: unknown */
	char *name;			 /* the name of the variable in the source; or NULL */
	/* The type of the object, and the member that the variable is; or NULL. */
	char *type, *field;
	bool is_heap; /* its variable lies in a block of the heap */
	bool is_suppressed;
	bool is_apart;		 /* unconfirmed, and not to be reported like the others */
	bool is_printed;	 /* its text was printed before the end of the run */
	enum snag_replay replay; /* the caller sets it after a replay */
	char *replay_words;	 /* what came of it, or NULL */
	/* What it does, if both orders of its accesses were run; else NULL: a few words ("other
	 * output"), and a sentence. */
	const char *severity;
	char *effect;
	struct snag_incident_more *more; /* other races of its cause */
	size_t nmore, more_cap;
};

struct snag_incidents {
	struct snag_incident *at; /* as the merged races: strongest verdict first */
	size_t n;
	size_t shown; /* incidents that are neither suppressed nor apart */
	size_t apart;
	struct snag_deadlock_incident *deadlock; /* incident_deadlock.h */
	size_t ndeadlocks, deadlocks_shown;
	struct snag_misuse_incident *misuse; /* incident_misuse.h */
	size_t nmisuses, misuses_shown;
	/* By verdict: how many incidents of all kinds are shown. */
	size_t by_verdict[SNAG_VERDICTS];
	struct snag_lock_name {
		uint32_t lock;
		char *name; /* as the source has it */
	} * lock;
	size_t nlocks, lock_cap;
};

/* `suppressions` may be NULL; it counts what matched. */
void snag_incidents_build(struct snag_incidents *ret_incidents, const struct snag_report *report,
			  const struct snag_merged *merged, struct snag_suppressions *suppressions);
void snag_incident_done(struct snag_incident *incident);
void snag_incidents_done(struct snag_incidents *incidents);
/* Names what is reported as the source does; before it is printed. */
void snag_incidents_name(struct snag_incidents *incidents, const struct snag_names *names);
const char *snag_incidents_lock(const struct snag_incidents *incidents,
				const struct snag_names *names, uint32_t lock);
/* Writes "S.hits", "pool->exit (heap#3+8)", or the place of the variable. */
void snag_incident_variable(const struct snag_incident *in, const struct snag_names *names,
			    char *buf, size_t room);
/* Leaves one incident for each cause: before they are printed (incident_group.h). */
void snag_incidents_group(struct snag_incidents *incidents, const struct snag_names *names);

/* The input of the printers of incidents. */
struct snag_incident_report {
	const struct snag_report *report;
	const struct snag_incidents *incidents;
	const struct snag_origins *origins;
	bool is_tasks; /* threads of the trace are tasks; then: */
	const struct snag_certificate *certificate;
	const struct snag_task_deadlock *deadlock; /* NULL: none */
	const struct snag_crash *crash;		   /* NULL: none */
	enum snag_tongue tongue;
	snag_task_label *label; /* may be NULL */
	void *label_ctx;
	/* Returns the name that the program gave a thread, or ""; may be NULL. */
	const char *(*thread_name)(const void *ctx, snag_tid thread);
	const void *thread_name_ctx;
	/* Adds further members to the JSON object; may be NULL. */
	void (*members)(void *ctx, struct snag_json *j);
	void *members_ctx;
	const char *tool;	/* "snag", or "ThreadSanitizer" for programs that expect that */
	char *const *arguments; /* of the program, NULL-terminated, [0] is the program */
	int status;		/* how it ended: its exit status, or 128 + the signal */
	int pid;
	bool has_seed;
	uint64_t seed;				 /* of the scheduler */
	bool has_colour;			 /* the text is for a terminal that shows colours */
	uint64_t limit;				 /* reports that the text shows; 0: all */
	const char *witness_dir;		 /* where the witness files are; NULL: nowhere */
	const char *strip_path_prefix;		 /* prefix to remove from file names; NULL: none */
	const struct snag_replay_tally *replays; /* NULL: there was nothing to replay */
	const struct snag_schedules *schedules;	 /* NULL: they were not looked up */
	bool is_early; /* the program still runs: the text has no summary */
	bool is_trace; /* a trace was analysed: there are no arguments, status and pid */
};

/* Prints one line about what was not replayed; returns false if there is nothing to say. */
bool snag_replay_tally_text(const struct snag_replay_tally *t, char *buf, size_t room);

/* Why nothing orders the tasks of a race. */
static inline void snag_incident_missing_edge(const struct snag_incident_report *r,
					      const struct snag_race *race, char *buf, size_t room)
{
	struct snag_missing_edge_facts facts = {r->origins, r->report->names, r->tongue, r->label,
						r->label_ctx};
	snag_missing_edge(race, &facts, buf, room);
}

/* How many reports there are, without those suppressed or apart. */
static inline size_t snag_incidents_reported(const struct snag_incident_report *r)
{
	return r->incidents->shown + r->incidents->deadlocks_shown + r->incidents->misuses_shown +
	       (r->deadlock != NULL);
}

/* The recorder has no size for the write that is the end of a block. */
static inline bool snag_site_is_free(const struct snag_site *site)
{
	return site->op == SNAG_OP_WRITE && site->size == 0;
}

/* Two accesses that nothing orders can come in either order.  If one of them is the end of a block,
 * the other one is a use of freed memory in some run, whichever came first in this one; if both
 * are, the block is freed twice. */
enum snag_incident_kind {
	SNAG_INCIDENT_RACE,
	SNAG_INCIDENT_USE_AFTER_FREE,
	SNAG_INCIDENT_DOUBLE_FREE,
	SNAG_INCIDENT_ATOMICITY /* a write of another thread comes between a read and a write */
};

static inline enum snag_incident_kind snag_incident_kind(const struct snag_incident *in)
{
	if (in->race->is_atomicity)
		return SNAG_INCIDENT_ATOMICITY;
	if (in->race->is_behind)
		return SNAG_INCIDENT_USE_AFTER_FREE;
	return in->is_heap ? (enum snag_incident_kind)(snag_site_is_free(&in->race->first) +
						       snag_site_is_free(&in->race->second))
			   : SNAG_INCIDENT_RACE;
}

/* As a report shows it: traces do not tell the frees of a race from other writes. */
static inline enum snag_incident_kind snag_incident_shown_kind(const struct snag_incident_report *r,
							       const struct snag_incident *in)
{
	bool has_own_kind = in->race->is_atomicity || in->race->is_behind;
	return r->is_trace && !has_own_kind ? SNAG_INCIDENT_RACE : snag_incident_kind(in);
}

/* The accesses of an incident in the order of its report: of a broken atomicity the read, the write
 * between and the write; else the first and the second one.  Returns how many. */
enum { SNAG_INCIDENT_ACCESSES = 3 };
struct snag_incident_access {
	const struct snag_site *site;
	const struct snag_callstack *stack;
};
size_t snag_incident_accesses(const struct snag_incident *in,
			      struct snag_incident_access ret[SNAG_INCIDENT_ACCESSES]);

/* A use of freed memory, or a second free. */
bool snag_incident_is_of_freed(const struct snag_incident *in);
/* As JSON calls it, and as the text does. */
extern const char *const snag_incident_kind_name[], *const snag_incident_kind_title[];

/* Prints ThreadSanitizer's layout with additional lines. */
void snag_incidents_text(const struct snag_incident_report *r, struct snag_printer *to);
/* SARIF 2.1.0. */
void snag_incidents_sarif(const struct snag_incident_report *r, struct snag_printer *to);
/* A file for --suppressions (suppress_terms.h). */
void snag_incidents_suppressions(const struct snag_incident_report *r, struct snag_printer *to);
/* JUnit XML. */
void snag_incidents_junit(const struct snag_incident_report *r, struct snag_printer *to);
/* Prints one self-contained page. */
void snag_incidents_html(const struct snag_incident_report *r, struct snag_printer *to);
/* The object of `snag run --json`: that of analyze, and "program", "incidents". */
void snag_incidents_json(const struct snag_incident_report *r, struct snag_printer *to);
/* Its member "program". */
void snag_incidents_program_json(char *const *arguments, int status, struct snag_json *j);

#endif
