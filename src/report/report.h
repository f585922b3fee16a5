/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - what was found in one trace, as data, and the printers of it
 *
 * Printers have no logic of their own beyond words: what is in the findings is
 * printed.  The only thing done here is bringing the findings of several
 * detectors together (merge.c), because people think of one race, not of one
 * race per detector.
 */
#ifndef SNAG_REPORT_REPORT_H
#define SNAG_REPORT_REPORT_H

#include "report/printer.h"
#include "trace/names.h"
#include "trace/race.h"
#include "trace/stretches.h"

struct snag_json;

/* What one detector found, and what is to be said about the detector. */
struct snag_report_part {
	const struct snag_findings *findings;
	const char *kind;      /* "relation": its races are explained by missing order */
	const char *guarantee; /* in words */
};

struct snag_report {
	const char *trace; /* the name of the file */
	const struct snag_names *names;
	uint64_t events;
	struct snag_counts counts;
	uint64_t skipped;			/* lines or events left out by --lenient */
	bool interrupted;			/* the end of the trace was not reached */
	const struct snag_stretches *stretches; /* what the prefixes of witnesses stand for */
	bool pairs;				/* a race is a pair of events, not of locations */
	bool stats;				/* figures about the detectors are wanted */
	const struct snag_report_part *part;
	size_t nparts;
	/* What else the file of a witness says: adds members to the object; may be NULL. */
	void (*witness_members)(void *ctx, const struct snag_race *race, struct snag_json *j);
	void (*deadlock_members)(void *ctx, const struct snag_deadlock *d, struct snag_json *j);
	void *ctx;
};

/* One race that one or several detectors found: the same pair of locations, or
 * with `pairs` the same pair of events. */
struct snag_merged_race {
	const struct snag_race *race; /* of the first detector with the strongest verdict */
	size_t part;		      /* that detector */
	uint32_t found_by;	      /* a bit for every part */
	uint32_t witness;	      /* counts the races with a witness from 1; 0: none */
};

struct snag_merged {
	struct snag_merged_race *race; /* strongest verdict first, then by second and first event */
	size_t n;
	size_t by_verdict[SNAG_VERDICTS];
};

void snag_report_merge(const struct snag_report *report, struct snag_merged *ret_merged);
void snag_merged_done(struct snag_merged *merged);

/* The JSON object of `--json`. */
void snag_report_json(const struct snag_report *report, struct snag_printer *to);
/* Its members, inside an object that is open. */
void snag_report_json_members(const struct snag_report *report, struct snag_json *j);

struct snag_text_options {
	bool colour;
	uint64_t limit;		 /* races shown; 0: all */
	const char *witness_dir; /* where the witness files are; NULL: nowhere */
};

void snag_report_text(const struct snag_report *report, const struct snag_merged *merged,
		      const struct snag_text_options *options, struct snag_printer *to);
/* Several detectors side by side. */
void snag_report_table(const struct snag_report *report, struct snag_printer *to);
/* A line that says what a bound left out, if it did. */
void snag_report_abridged(const struct snag_findings *f, struct snag_printer *to);
/* "memory limit: m2 looked at 3 windows of ...", no line end; nothing if it did not. */
void snag_report_windows(const struct snag_findings *f, struct snag_printer *to);
/* "2 races found in run.std: 1 observed, 1 unverified", no line end. */
void snag_report_verdict(const struct snag_report *report, const struct snag_merged *merged,
			 struct snag_printer *to);

/* A witness longer than this is given as a prefix of every thread and the rest. */
enum { SNAG_EXPANDED_WITNESS = 10000 };
/* How many events the witness of a race has in all. */
uint64_t snag_report_witness_length(const struct snag_report *report, const struct snag_race *race);
/* All of them; to be freed. */
uint32_t *snag_report_witness_events(const struct snag_report *report,
				     const struct snag_race *race);
/* The members "prefix", if it is longer, and "witness". */
void snag_report_witness_json(const struct snag_report *report, const struct snag_race *race,
			      struct snag_json *j);

/* Writes DIR/race-<n>.json for every race with a witness, in the format of
 * witness/witness.h. */
int snag_report_witnesses(const struct snag_report *report, const struct snag_merged *merged,
			  const char *dir, struct snag_error *err);

#endif
