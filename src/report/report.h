/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - the findings of one trace, as data, and their printers
 *
 * Printers add only words: they print what is in the findings.  The one thing done here is to
 * merge the findings of several detectors (merge.c), because people think of one race, not of
 * one race per detector.
 */
#ifndef SNAG_REPORT_REPORT_H
#define SNAG_REPORT_REPORT_H

#include "report/printer.h"
#include "trace/names.h"
#include "trace/race.h"
#include "trace/stretches.h"

struct snag_json;
struct snag_misuse;

/* The findings of one detector, and its description. */
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
	uint64_t skipped; /* lines or events left out by --lenient */
	bool interrupted; /* the end of the trace was not reached */
	/* The stretches that the prefixes of witnesses count. */
	const struct snag_stretches *stretches;
	bool pairs; /* a race is a pair of events, not of locations */
	bool stats; /* figures about the detectors are wanted */
	const struct snag_report_part *part;
	size_t nparts;
	const struct snag_misuse *misuse; /* trace/misuse.h */
	size_t nmisuses;
	const struct snag_strtab *benign; /* variables whose races are not reported; may be NULL */
	/* Adds further members to the object in a witness file; may be NULL. */
	void (*witness_members)(void *ctx, const struct snag_race *race, struct snag_json *j);
	void (*deadlock_members)(void *ctx, const struct snag_deadlock *d, struct snag_json *j);
	void *ctx;
};

/* One race that one or several detectors found: the same pair of locations, or
 * with `pairs` the same pair of events. */
struct snag_merged_race {
	const struct snag_race *race; /* of the first detector with the strongest verdict */
	size_t part;		      /* the detector that reports it */
	uint32_t found_by;	      /* a bit for every part */
	/* The race with a witness: this one, or one that another detector found at the same
	 * locations; NULL: none has one. */
	const struct snag_race *proof;
	size_t proof_part;
	uint32_t witness; /* counts the races with a witness from 1; 0: none */
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
/* Prints a line about what a bound left out, if it left something out. */
void snag_report_abridged(const struct snag_findings *f, struct snag_printer *to);
/* Prints "memory limit: m2 looked at 3 windows of ...", without a line end, or nothing. */
void snag_report_windows(const struct snag_findings *f, struct snag_printer *to);
/* Prints "2 races found in run.std: 1 observed, 1 unverified", without a line end. */
void snag_report_verdict(const struct snag_report *report, const struct snag_merged *merged,
			 struct snag_printer *to);

/* A longer witness is written as a prefix of every thread and the rest. */
enum { SNAG_EXPANDED_WITNESS = 10000 };
/* Returns the total number of events in the witness of a race. */
uint64_t snag_report_witness_length(const struct snag_report *report, const struct snag_race *race);
/* Returns all of them; the caller frees the array. */
uint32_t *snag_report_witness_events(const struct snag_report *report,
				     const struct snag_race *race);
/* Writes the members "witness" and, if it is longer, "prefix". */
void snag_report_witness_json(const struct snag_report *report, const struct snag_race *race,
			      struct snag_json *j);

/* Writes DIR/race-<n>.json for every race with a witness, in the format of
 * witness/witness.h. */
int snag_report_witnesses(const struct snag_report *report, const struct snag_merged *merged,
			  const char *dir, struct snag_error *err);

#endif
