/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_shard.c - `snag analyze --shard I/N --store DIR`: the candidates of one trace, divided
 */
#include "cli/analyze/analyze_shard.h"

#include "base/memory.h"
#include "cli/command.h"
#include "report/printer.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct snag_shards_key keys[] = {{"command", "another command"},
					      {"version", "another version of snag"},
					      {"contents", "another trace"},
					      {"detectors", "other detectors"},
					      {"options", "other options"},
					      {"shards", "another number of shards"},
					      {0}};

static json_t *job_make(const struct snag_shards *s, const char *trace,
			const struct snag_analyze_options *options, const char *how,
			struct snag_error *err)
{
	uint64_t number;
	char hex[SNAG_SHARDS_HEX];
	if (!snag_shards_contents(trace, &number)) {
		snag_fail(err, SNAG_EIO, "%s: %s", trace, strerror(errno ? errno : EIO));
		return NULL;
	}
	snag_shards_hex(number, hex);
	json_t *detectors = json_array();
	for (size_t i = 0; i < options->ndetectors; i++)
		json_array_append_new(detectors, json_string(options->detector[i]->name));
	return json_pack("{s:s, s:s, s:o, s:s, s:o, s:s, s:i}", "command", "analyze", "version",
			 SNAG_VERSION, "trace", json_string_nocheck(trace), "contents", hex,
			 "detectors", detectors, "options", how, "shards", (int)s->nshards);
}

int cli_analyze_shard_open(struct snag_shards *s, const char *trace,
			   const struct snag_analyze_options *options, const char *how,
			   struct snag_error *err)
{
	json_t *job = job_make(s, trace, options, how, err);
	if (!job)
		return err->code;
	int rc = snag_shards_open(s, job, keys, err);
	json_decref(job);
	return rc;
}

int cli_analyze_shard_write(const struct snag_shards *s, const struct snag_report *report,
			    struct snag_error *err)
{
	char path[PATH_MAX];
	struct snag_printer to;
	snag_shard_path(s, "json", path);
	int rc = snag_printer_open(&to, path, err);
	if (rc < 0)
		return rc;
	snag_report_json(report, &to);
	return snag_printer_commit(&to, err);
}

/* How many races and deadlocks the analyses have. */
static size_t races_count(const json_t *analyses)
{
	size_t i, n = 0;
	json_t *a;
	json_array_foreach(analyses, i, a) n += json_array_size(json_object_get(a, "races")) +
						json_array_size(json_object_get(a, "deadlocks"));
	return n;
}

bool cli_analyze_shard_has_races(const struct snag_shards *s)
{
	char path[PATH_MAX];
	struct snag_error unused = {0};
	snag_shard_path(s, "json", path);
	json_t *root = snag_shards_read(path, &unused);
	bool has_races = races_count(json_object_get(root, "analyses")) > 0;
	json_decref(root);
	return has_races;
}

int cli_shards_missing(const char *dir, const struct snag_shards_sum *sum, struct snag_error *err)
{
	return snag_fail(err, SNAG_EINPUT, "%s: these shards have no result yet: %s", dir,
			 sum->missing);
}

static json_int_t event_of(const json_t *race, const char *which)
{
	return json_integer_value(json_object_get(race, which));
}

/* The order of races in a report. */
static int race_compare(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	json_int_t d = event_of(x, "second") - event_of(y, "second");
	if (d == 0)
		d = event_of(x, "first") - event_of(y, "first");
	return d < 0 ? -1 : d > 0;
}

static int number_compare(const void *a, const void *b)
{
	json_int_t d =
		json_integer_value(*(json_t *const *)a) - json_integer_value(*(json_t *const *)b);
	return d < 0 ? -1 : d > 0;
}

/* Deadlocks are in the order of their first request. */
static int deadlock_compare(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	json_int_t d = json_integer_value(json_array_get(json_object_get(x, "requests"), 0)) -
		       json_integer_value(json_array_get(json_object_get(y, "requests"), 0));
	return d < 0 ? -1 : d > 0;
}

/* Adds the elements of `from` to `to`, sorts `to`, and removes repeated elements. */
static void array_join(json_t *to, const json_t *from, int (*compare)(const void *, const void *))
{
	size_t i, n = json_array_size(to) + json_array_size(from), at = 0;
	json_t *v, **all = snag_calloc(n + 1, sizeof(json_t *));
	json_array_foreach(to, i, v) all[at++] = json_incref(v);
	json_array_foreach(from, i, v) all[at++] = json_incref(v);
	qsort(all, n, sizeof(json_t *), compare);
	json_array_clear(to);
	for (i = 0; i < n; i++) {
		bool is_twice = i > 0 && compare(&all[i - 1], &all[i]) == 0 &&
				(compare != deadlock_compare || json_equal(all[i - 1], all[i]));
		if (!is_twice)
			json_array_append(to, all[i]);
	}
	for (i = 0; i < n; i++)
		json_decref(all[i]);
	free(all);
}

static void pairs_count(json_t *analysis)
{
	size_t i;
	json_int_t pairs = 0;
	json_t *race;
	json_array_foreach(json_object_get(analysis, "races"), i, race) pairs +=
		event_of(race, "count");
	json_object_set_new(analysis, "pairs", json_integer(pairs));
}

static bool analysis_join(json_t *to, const json_t *from)
{
	static const struct {
		const char *name;
		int (*compare)(const void *, const void *);
	} array[] = {{"racy_events", number_compare},
		     {"races", race_compare},
		     {"deadlocks", deadlock_compare}};
	const char *name = json_string_value(json_object_get(to, "name")),
		   *other = json_string_value(json_object_get(from, "name"));
	if (!name || !other || strcmp(name, other) != 0)
		return false;
	for (size_t i = 0; i < sizeof(array) / sizeof(array[0]); i++)
		if (json_object_get(to, array[i].name))
			array_join(json_object_get(to, array[i].name),
				   json_object_get(from, array[i].name), array[i].compare);
	if (!json_is_true(json_object_get(from, "complete")))
		json_object_set_new(to, "complete", json_false());
	if (json_object_get(from, "counts"))
		json_object_set(to, "counts", json_object_get(from, "counts"));
	json_int_t abridged = event_of(from, "abridged");
	if (abridged > event_of(to, "abridged"))
		json_object_set_new(to, "abridged", json_integer(abridged));
	json_object_set_new(to, "seconds",
			    json_real(json_number_value(json_object_get(to, "seconds")) +
				      json_number_value(json_object_get(from, "seconds"))));
	return true;
}

/* ctx: json_t **, the sum; NULL: nothing was read. */
static bool result_read(void *ctx, const json_t *result, unsigned shard)
{
	json_t **sum = ctx, *from = json_object_get(result, "analyses");
	(void)shard;
	if (!json_is_array(from) || !json_is_object(json_object_get(result, "trace")))
		return false;
	if (!*sum) {
		*sum = json_deep_copy(result);
		return true;
	}
	json_t *to = json_object_get(*sum, "analyses");
	bool ok = json_array_size(to) == json_array_size(from);
	for (size_t i = 0; ok && i < json_array_size(to); i++)
		ok = analysis_join(json_array_get(to, i), json_array_get(from, i));
	return ok;
}

static const char *text_at(const json_t *array, size_t i)
{
	const char *text = json_string_value(json_array_get(array, i));
	return text ? text : "?";
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "?";
}

static void analysis_print(const json_t *analysis, struct snag_printer *to)
{
	size_t i;
	json_t *v;
	const char *name = text_of(analysis, "name");
	json_array_foreach(json_object_get(analysis, "races"), i, v)
	{
		const json_t *locations = json_object_get(v, "locations");
		snag_printf(to, "snag: merge: %s: race at ", name);
		snag_print_name(to, text_at(locations, 0));
		snag_print(to, " and ");
		snag_print_name(to, text_at(locations, 1));
		snag_printf(to, " (events %" PRIu64 " and %" PRIu64 "): ",
			    (uint64_t)event_of(v, "first"), (uint64_t)event_of(v, "second"));
		snag_print_name(to, text_of(v, "verdict"));
		snag_print(to, "\n");
	}
	size_t deadlocks = json_array_size(json_object_get(analysis, "deadlocks"));
	if (deadlocks)
		snag_printf(to, "snag: merge: %s: %zu deadlock%s\n", name, deadlocks,
			    snag_plural(deadlocks));
}

static int sum_print(const json_t *sum, const struct snag_shards_sum *shards,
		     struct snag_error *err)
{
	size_t i;
	json_t *a, *analyses = json_object_get(sum, "analyses");
	struct snag_printer to;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	json_array_foreach(analyses, i, a) analysis_print(a, &to);
	snag_printf(&to, "snag: merge: %u of %u shards: ", shards->ended, shards->nshards);
	json_array_foreach(analyses, i, a)
	{
		bool is_complete = json_is_true(json_object_get(a, "complete"));
		const json_t *deadlocks = json_object_get(a, "deadlocks");
		size_t n = json_array_size(deadlocks ? deadlocks : json_object_get(a, "races"));
		snag_printf(&to, "%s%s: %zu %s%s%s", i ? "; " : "", text_of(a, "name"), n,
			    deadlocks ? "deadlock" : "race", snag_plural(n),
			    is_complete ? ", none is missing" : "");
	}
	snag_print(&to, "\n");
	return snag_printer_commit(&to, err);
}

int cli_analyze_merge(const char *dir, const json_t *job, const char *json, struct snag_error *err)
{
	json_t *sum = NULL, *a;
	struct snag_shards_sum shards;
	size_t i;
	int rc = snag_shards_add(dir, job, &shards, result_read, &sum, err);
	bool is_all = rc == 0 && shards.ended == shards.nshards;
	json_array_foreach(json_object_get(sum, "analyses"), i, a)
	{
		pairs_count(a);
		if (!is_all)
			json_object_set_new(a, "complete", json_false());
	}
	if (rc == 0 && sum && json && json_dump_file(sum, json, JSON_COMPACT) < 0)
		rc = snag_fail(err, SNAG_EIO, "%s: %s", json, strerror(errno));
	if (rc == 0 && sum)
		rc = sum_print(sum, &shards, err);
	bool has_races = races_count(json_object_get(sum, "analyses")) > 0;
	json_decref(sum);
	if (rc == 0 && !is_all && !has_races)
		rc = cli_shards_missing(dir, &shards, err);
	return rc < 0 ? rc : has_races ? CLI_RACES : CLI_OK;
}
