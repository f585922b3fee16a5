/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_info.c - `snag info`: what is in a trace
 */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "report/json_writer.h"

#include <string.h>
#include <sys/stat.h>

struct info_values {
	struct cli_reading reading;
	int json;
};

static const struct cli_option info_options[] = {
	{.name = "json",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = offsetof(struct info_values, json),
	 .help = "print JSON, with all threads"},
	{0},
};

enum { SHOWN_THREADS = 10 };

struct info {
	const struct snag_source *src;
	uint64_t events;
	uint64_t by_op[SNAG_OPS];
	uint64_t nested; /* acquires of a lock already held */
	uint64_t *by_thread;
	size_t by_thread_cap;
	uint64_t file_bytes; /* 0: not a file */
};

static void info_add(struct info *info, const struct snag_batch *batch)
{
	info->by_thread = snag_grow(info->by_thread, &info->by_thread_cap,
				    batch->counts.n[SNAG_SPACE_THREAD], sizeof(*info->by_thread));
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		info->by_op[ev->op]++;
		info->by_thread[ev->thread]++;
		info->nested += ev->op == SNAG_OP_ACQUIRE && (ev->flags & SNAG_NESTED);
	}
	info->events += batch->n;
}

struct busy_thread {
	uint32_t thread;
	uint64_t events;
};

static int busiest_first(const void *pa, const void *pb)
{
	const struct busy_thread *a = pa, *b = pb;
	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* All threads of the trace, also those without events of their own (joined only). */
static struct busy_thread *threads_sorted(struct info *info, uint32_t *ret_n)
{
	uint32_t n = info->src->names->space[SNAG_SPACE_THREAD].n;
	struct busy_thread *threads = snag_calloc(n, sizeof(*threads));
	info->by_thread =
		snag_grow(info->by_thread, &info->by_thread_cap, n, sizeof(*info->by_thread));
	for (uint32_t t = 0; t < n; t++)
		threads[t] = (struct busy_thread){t, info->by_thread[t]};
	qsort(threads, n, sizeof(*threads), busiest_first);
	*ret_n = n;
	return threads;
}

static void json(struct snag_printer *to, const struct info *info,
		 const struct busy_thread *threads, uint32_t nthreads)
{
	const struct snag_names *names = info->src->names;
	struct snag_json j;
	snag_json_init(&j, to);
	snag_json_object(&j, NULL);
	snag_json_object(&j, "trace");
	snag_json_uint(&j, "events", info->events);
	for (int s = 0; s < SNAG_SPACES; s++)
		snag_json_uint(&j, snag_space_plural[s], names->space[s].n);
	snag_json_uint(&j, "skipped", info->src->skipped);
	snag_json_end(&j);
	snag_json_newline(&j);
	snag_json_object(&j, "kinds");
	for (int op = 0; op < SNAG_OPS; op++)
		if (info->by_op[op])
			snag_json_uint(&j, snag_op_info[op].text, info->by_op[op]);
	snag_json_end(&j);
	snag_json_uint(&j, "nested", info->nested);
	if (info->file_bytes) {
		snag_json_newline(&j);
		snag_json_uint(&j, "bytes", info->file_bytes);
		if (info->events)
			snag_json_double(&j, "bytes_per_event",
					 (double)info->file_bytes / (double)info->events);
	}
	snag_json_newline(&j);
	snag_json_array(&j, "threads");
	for (uint32_t i = 0; i < nthreads; i++) {
		snag_json_newline(&j);
		snag_json_object(&j, NULL);
		snag_json_string(&j, "name",
				 snag_name(names, SNAG_SPACE_THREAD, threads[i].thread));
		snag_json_uint(&j, "events", threads[i].events);
		snag_json_end(&j);
	}
	snag_json_end(&j);
	snag_json_end(&j);
}

static void row(struct snag_printer *to, const char *what, uint64_t n)
{
	snag_printf(to, "%-12s %12llu\n", what, (unsigned long long)n);
}

static void kinds(struct snag_printer *to, const struct info *info)
{
	snag_print(to, "\nby kind\n");
	for (int op = 0; op < SNAG_OPS; op++)
		if (info->by_op[op])
			snag_printf(to, "  %-10s %12llu  %s\n", snag_op_info[op].text,
				    (unsigned long long)info->by_op[op], snag_op_info[op].about);
	if (info->nested)
		snag_printf(to, "  %-10s %12llu  of the acq: of a lock already held\n", "nested",
			    (unsigned long long)info->nested);
}

static void text(struct snag_printer *to, const struct info *info,
		 const struct busy_thread *threads, uint32_t nthreads)
{
	const struct snag_names *names = info->src->names;
	snag_print_name(to, info->src->name);
	snag_print(to, "\n");
	row(to, "events", info->events);
	for (int s = 0; s < SNAG_SPACES; s++)
		if (s <= SNAG_SPACE_LOCATION || names->space[s].n)
			row(to, snag_space_plural[s], names->space[s].n);
	if (info->src->skipped)
		row(to, "skipped", info->src->skipped);
	if (info->file_bytes)
		row(to, "bytes", info->file_bytes);
	if (info->file_bytes && info->events)
		snag_printf(to, "%-12s %12.2f\n", "bytes/event",
			    (double)info->file_bytes / (double)info->events);
	if (info->events)
		kinds(to, info);
	if (nthreads)
		snag_printf(to, "\nby thread%s\n", nthreads > SHOWN_THREADS ? ", the busiest" : "");
	for (uint32_t i = 0; i < nthreads && i < SHOWN_THREADS; i++) {
		snag_printf(to, "  %10s %12llu  ", "", (unsigned long long)threads[i].events);
		snag_print_name(to, snag_name(names, SNAG_SPACE_THREAD, threads[i].thread));
		snag_print(to, "\n");
	}
}

static int info_write(struct info *info, bool as_json, struct snag_error *err)
{
	struct snag_printer to;
	uint32_t nthreads;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	struct busy_thread *threads = threads_sorted(info, &nthreads);
	if (as_json)
		json(&to, info, threads, nthreads);
	else
		text(&to, info, threads, nthreads);
	free(threads);
	return snag_printer_commit(&to, err);
}

static int info_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct info_values *v = values;
	struct snag_source *src;
	struct snag_batch batch;
	struct stat st;
	int rc = cli_source_open(operand[0], &v->reading, &src, err);
	if (rc < 0)
		return rc;
	src = cli_watched_source(src, &v->reading);
	struct info info = {.src = src};
	if (strcmp(operand[0], "-") != 0 && stat(operand[0], &st) == 0 && S_ISREG(st.st_mode))
		info.file_bytes = (uint64_t)st.st_size;
	while ((rc = snag_source_next(src, &batch, err)) > 0)
		info_add(&info, &batch);
	if (rc == 0)
		rc = info_write(&info, v->json, err);
	free(info.by_thread);
	snag_source_close(src);
	return rc;
}

const struct cli_command cli_command_info = {
	.name = "info",
	.summary = "count what is in a trace",
	.operands = "TRACE",
	.min_operands = 1,
	.max_operands = 1,
	.offer = CLI_OFFER_FILES,
	.options = info_options,
	.common = cli_reading_options,
	.about =
		"Prints how many events, threads, variables, locks and locations a trace has, its\n"
		"events by kind and by thread, and its size.\n",
	.values_size = sizeof(struct info_values),
	.run = info_run,
};
