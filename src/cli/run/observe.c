/* SPDX-License-Identifier: Apache-2.0
 *
 * observe.c - a program that is analysed while it runs
 */
#include "cli/run/observe.h"

#include "cli/interrupt.h"
#include "trace/tee.h"

static const struct snag_source_options lenient = {.lenient = true};

/* Returns half of the bytes, rounded up.  If a scout keeps the records of a run, they may take
 * one half, and the trace the other. */
static uint64_t half(uint64_t disk)
{
	return disk / 2 + disk % 2;
}

static int scout_send(struct cli_observed *o, const struct cli_observed_files *files,
		      const struct snag_analyze_options *detectors, struct snag_error *err)
{
	struct snag_scout_options options = {.folder = files->folder,
					     .disk = half(files->disk),
					     .wants = snag_analyze_slice(detectors)};
	for (size_t i = 0; i < detectors->ndetectors; i++)
		options.of_deadlocks |= detectors->detector[i]->finds_deadlocks;
	return options.wants ? snag_scout_new(&options, &o->scout, err) : 0;
}

/* Writes a trace of at most nbytes bytes; 0: of any size. */
static int trace_write(struct cli_observed *o, const char *trace, uint64_t nbytes,
		       struct snag_error *err)
{
	o->trace = trace;
	o->trace_bytes = nbytes;
	int rc = snag_tee_source(o->live, trace, &o->tee, err);
	if (rc < 0)
		return rc;
	snag_tee_bound(o->tee, nbytes);
	o->run = o->src = snag_wellformed_source(o->tee, &lenient);
	return 0;
}

static int program_start(struct cli_observed *o, char *const *argv,
			 const struct snag_live_options *how,
			 const struct cli_observed_files *files, struct snag_error *err)
{
	struct snag_live_options options = *how;
	options.ends_at_split = true;
	options.detour = o->scout ? snag_scout_detour(o->scout) : NULL;
	o->is_stopped_itself = !how->stop;
	int rc = snag_live_source(argv, &options, &o->live, err);
	if (rc < 0)
		return rc;
	return trace_write(o, files->trace, o->scout ? half(files->disk) : files->disk, err);
}

int cli_observe(struct cli_observed *o, char *const *argv, const struct snag_live_options *how,
		const struct cli_observed_files *files, struct snag_error *err)
{
	o->scout = NULL;
	return program_start(o, argv, how, files, err);
}

int cli_observe_slice(struct cli_observed *o, char *const *argv,
		      const struct snag_live_options *how, const struct cli_observed_files *files,
		      const struct snag_analyze_options *detectors, struct snag_error *err)
{
	o->scout = NULL;
	int rc = scout_send(o, files, detectors, err);
	if (rc == 0)
		rc = program_start(o, argv, how, files, err);
	if (rc < 0)
		snag_scout_free(o->scout);
	return rc;
}

int cli_observe_cut(struct cli_observed *o, const struct cli_observed *of, const char *trace,
		    struct snag_error *err)
{
	*o = (struct cli_observed){.live = of->live};
	snag_live_cut(o->live);
	return trace_write(o, trace, of->trace_bytes, err);
}

/* Writes the rest of the run. From now on snag reads the file, which delivers refined events. */
static int file_turn_to(struct cli_observed *o, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(o->tee, &batch, err)) > 0)
		;
	if (o->is_stopped_itself)
		cli_stop = 0; /* the program has ended; the analysis of its run has not */
	if (rc < 0)
		return rc;
	struct snag_source *file;
	rc = snag_source_open(o->trace, &lenient, &file, err);
	if (rc < 0)
		return rc;
	if (o->src != o->run)
		snag_source_close(o->src);
	o->src = file;
	return 0;
}

int cli_observed_again(struct cli_observed *o, const struct snag_analyze_options *options,
		       struct snag_analysis *ret_analysis, struct snag_error *err)
{
	int rc = file_turn_to(o, err);
	return rc < 0 ? rc : snag_analyze(o->src, options, ret_analysis, err);
}

int cli_observed_analyze(struct cli_observed *o, const struct snag_analyze_options *options,
			 struct snag_analysis *ret_analysis, struct snag_error *err)
{
	int rc = snag_analyze(o->src, options, ret_analysis, err);
	if (rc != SNAG_ESPLIT)
		return rc;
	*err = (struct snag_error){0};
	return cli_observed_again(o, options, ret_analysis, err);
}

const char *cli_observed_cut(const struct cli_observed *o)
{
	const char *cut = o->scout ? snag_scout_error(o->scout) : NULL;
	return cut ? cut : snag_tee_cut(o->tee);
}

void cli_observed_done(struct cli_observed *o)
{
	if (o->src != o->run)
		snag_source_close(o->src);
	snag_source_close(o->run);
	snag_scout_free(o->scout);
}
