/* SPDX-License-Identifier: Apache-2.0
 *
 * live.h - a running program as a source of events
 *
 * next() waits for events of the program.  The source ends when the program has ended.  If it is
 * closed before, it lets the program continue and waits for its end.  Its events are recorded
 * ones, and come with their splits (trace/split.h).
 */
#ifndef SNAG_RECORD_LIVE_H
#define SNAG_RECORD_LIVE_H

#include "record/convert/convert.h"
#include "record/launch.h"
#include "trace/misuse.h"
#include "trace/sink.h"

#include <signal.h>

/* A consumer of the program's records that chooses which of them become events. */
struct snag_detour {
	/* Takes records as they come.  Returns false if it takes no more: then the program
	 * continues unobserved. */
	bool (*records)(void *ctx, const struct rt_record *r, int n);
	void (*ended)(void *ctx); /* called after the last record */
	/* Called after `ended`: returns the records that become events, at most `room`; 0: there
	 * are no more. */
	int (*next)(void *ctx, struct rt_record *ret_record, int room);
	void *ctx;
};

struct snag_live_options {
	const char *options;		     /* for the runtime in the program */
	struct snag_attached *attached;	     /* the program runs already; NULL: it is started */
	struct snag_convert_options convert; /* steps: see snag_live_steps() */
	enum snag_launch_io io;
	double seconds;			   /* it is killed if it takes longer; 0: never */
	uint64_t events;		   /* it is killed if it has more events; 0: never */
	bool ends_at_split;		   /* see snag_live_is_split() */
	const volatile sig_atomic_t *stop; /* it is killed when this is not 0; may be NULL */
	const struct snag_detour *detour;  /* NULL: records become events as they come */
	/* Called after every few records that the detour has seen; may be NULL. */
	void (*on_records)(void *ctx);
	void *ctx;
	/* It is killed when it stands still at the end of a schedule (option hold). */
	bool ends_held;
};

/* Starts the program.  It is an error if it cannot be run.  If it was not built with `snag cc`,
 * next() fails when it has ended. */
int snag_live_source(char *const *argv, const struct snag_live_options *options,
		     struct snag_source **ret_src, struct snag_error *err);

void snag_live_kill(struct snag_source *src); /* the program need not go on */
/* The program ends with this status as soon as it can, or is killed. */
void snag_live_halt(struct snag_source *src, int status);
/* In a copy of the process, made by fork(): the source ends with what the detour has seen.  Only
 * the original process ends the program. */
void snag_live_cut(struct snag_source *src);

struct snag_live_end {
	int status; /* as of waitpid */
	int pid;
	bool is_empty;		   /* a runtime was there, but recorded nothing */
	bool was_cut;		   /* it was killed because it had too many events */
	bool was_late;		   /* it was killed because it took too long */
	double seconds;		   /* how long the program ran while it was recorded */
	struct rt_verdict verdict; /* of a detector inside it */
	/* Input of the program that can differ from run to run: bits 1 << enum rt_input. */
	uint32_t inputs;
	const uint64_t *executed; /* see launch.h; until the source is closed */
	const char *opened;	  /* likewise */
	struct snag_convert_notes notes;
	const struct snag_misuse *misuse; /* trace/misuse.h; likewise */
	size_t nmisuses;
	const struct snag_strtab *benign;  /* names of bytes whose races are benign; likewise */
	const char *defaults[RT_DEFAULTS]; /* see snag_convert_default(); likewise */
};
/* How the program ended; once next() returned 0 or an error. */
struct snag_live_end snag_live_end(const struct snag_source *src);

/* The steps of its events (record/step_log.h), as far as the source was read; NULL: they were
 * not to be kept. */
struct snag_step_log *snag_live_steps(const struct snag_source *src);

/* Returns whether splits matter (trace/split.h), as far as the source was read: then a consumer
 * that ignores batch.split misses conflicts.  With ends_at_split, next() returns SNAG_ESPLIT once
 * when this becomes true, unless the consumer takes splits. */
bool snag_live_is_split(const struct snag_source *src);
/* For a source that has ended and whose events are in the .snag file `path`: if that file
 * delivers refined events, translates the numbers of two events to those of the refined ones.
 * Reads the file. */
int snag_live_renumber(struct snag_source *src, const char *path, uint64_t event[2],
		       struct snag_error *err);

/* Returns the name that the program gave a thread, or "". */
const char *snag_live_thread_name(const struct snag_source *src, snag_tid thread);
/* Returns the construct of the source that made a task. */
struct snag_label snag_live_label(const struct snag_source *src, snag_tid task);
const struct snag_depend *snag_live_depend(const struct snag_source *src, uint64_t n,
					   const char **ret_name);

#endif
