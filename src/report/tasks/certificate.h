/* SPDX-License-Identifier: Apache-2.0
 *
 * certificate.h - what one run of a program of tasks proves about all its schedules
 *
 * A run without races that stayed in the determinate subset of its language is a proof: every
 * schedule of this input does the same.  Otherwise there are obstacles, each with its place:
 * something that the schedule decides (the order of locks, atomics or isolated blocks; the
 * number of a thread), or something that was not observed.
 */
#ifndef SNAG_REPORT_CERTIFICATE_H
#define SNAG_REPORT_CERTIFICATE_H

#include "report/printer.h"
#include "trace/names.h"
#include "trace/race.h"

struct snag_json;

struct snag_obstacle {
	const char *kind; /* for programs: "lock", "thread-number" ... */
	char words[240];  /* for people, without the places */
	snag_loc loc[2];
	int nlocs;
};

enum { SNAG_MAX_OBSTACLES = 16 };

struct snag_certificate {
	bool is_race_free; /* for this input on every schedule */
	struct snag_obstacle obstacle[SNAG_MAX_OBSTACLES];
	size_t n;
	/* How many orders of isolated blocks or critical sections there are, if all were run; 0:
	 * the proof needs one run only. */
	uint64_t orders;
	bool is_optimised; /* the compiler may have removed accesses: they are not part of it */
	bool has_deadlock; /* the run ended in one, which every schedule has if it is race-free */
};

/* Adds an obstacle and returns it, so that places can be added.  Returns NULL if there are too
 * many. */
struct snag_obstacle *snag_certificate_add(struct snag_certificate *c, const char *kind,
					   const char *words, ...)
	__attribute__((format(printf, 3, 4)));
void snag_obstacle_at(struct snag_obstacle *o, snag_loc loc); /* accepts NULL */

/* Adds the obstacles that the findings contain: orders that only mutual exclusion decides. */
void snag_certificate_findings(struct snag_certificate *c, const struct snag_findings *f,
			       const struct snag_names *names);

/* Returns the verdict in words, without obstacles: all reports of `snag run` use these. */
const char *snag_certificate_words(const struct snag_certificate *c);
/* Prints one line, or one for each obstacle; the names are those of their places. */
void snag_certificate_text(const struct snag_certificate *c, const struct snag_names *names,
			   const char *tool, struct snag_printer *to);
/* Writes the member "certificate"; `has_races` decides its verdict. */
void snag_certificate_json(const struct snag_certificate *c, const struct snag_names *names,
			   bool has_races, struct snag_json *j);

#endif
