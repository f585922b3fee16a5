/* SPDX-License-Identifier: Apache-2.0
 *
 * store.c - what the workers of one search found
 */
#include "explore/store.h"

#include "base/memory.h"
#include "report/json_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = PATH_MAX };

/* Hashes the contents of the program, so that a rebuilt program counts as another one. */
static bool program_number(const char *name, uint64_t *ret)
{
	const char *folders = getenv("PATH");
	char path[PATH];
	if (strchr(name, '/'))
		return snag_shards_contents(name, ret);
	for (; folders && *folders; folders += strcspn(folders, ":"), folders += *folders == ':') {
		snprintf(path, sizeof(path), "%.*s/%s", (int)strcspn(folders, ":"), folders, name);
		if (access(path, X_OK) == 0)
			return snag_shards_contents(path, ret);
	}
	return false;
}

static json_t *search_json(const struct snag_store_search *s, struct snag_error *err)
{
	uint64_t number;
	char hex[SNAG_SHARDS_HEX];
	if (!program_number(s->argv[0], &number)) {
		snag_fail(err, SNAG_EIO, "%s: %s", s->argv[0], strerror(errno ? errno : ENOENT));
		return NULL;
	}
	snag_shards_hex(number, hex);
	json_t *arguments = json_array();
	for (char *const *a = s->argv + 1; *a; a++)
		json_array_append_new(arguments, json_string_nocheck(*a));
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:I, s:s, s:I}", "command", "explore",
			 "version", s->version, "program", s->argv[0], "contents", hex, "arguments",
			 arguments, "shards", (int)s->nshards, "seed", (json_int_t)s->seed,
			 "policy", s->policy, "schedules", (json_int_t)s->schedules);
}

static const struct snag_shards_key keys[] = {
	{"command", "another command"},
	{"version", "another version of snag"},
	{"contents", "another program, or another build of it"},
	{"arguments", "other arguments of the program"},
	{"shards", "another number of shards"},
	{"seed", "another seed"},
	{"policy", "another policy"},
	{"schedules", "another number of schedules"},
	{0}};

int snag_store_open(struct snag_store *s, const char *dir, unsigned shard,
		    const struct snag_store_search *search, struct snag_error *err)
{
	*s = (struct snag_store){
		.shards = {.dir = dir, .shard = shard, .nshards = search->nshards, .lock = -1}};
	json_t *job = search_json(search, err);
	if (!job)
		return err->code;
	int rc = snag_shards_open(&s->shards, job, keys, err);
	json_decref(job);
	return rc;
}

bool snag_store_has_failed(const struct snag_store *s)
{
	char path[PATH];
	struct snag_error unused = {0};
	snag_shard_path(&s->shards, "json", path);
	json_t *root = snag_shards_read(path, &unused);
	bool has_failed = json_array_size(json_object_get(root, "failures")) > 0;
	json_decref(root);
	return has_failed;
}

void snag_store_close(struct snag_store *s)
{
	snag_shards_close(&s->shards);
}

void snag_store_failure_path(const struct snag_store *s, const struct snag_found *found, char *ret,
			     size_t room)
{
	snprintf(ret, room, "%s/failure-%s-%08" PRIx64 ".json", s->shards.dir,
		 snag_failure_name[found->failure.kind], found->failure.number & UINT32_MAX);
}

static void tally_write(struct snag_json *j, const char *key, const struct snag_tally *t)
{
	const struct snag_tallied *all = (const void *)t->table.at;
	snag_json_newline(j);
	snag_json_array(j, key);
	for (size_t i = 0; i < t->table.nslots; i++)
		if (all[i].number) {
			char hex[SNAG_SHARDS_HEX];
			snag_shards_hex(all[i].number, hex);
			snag_json_array(j, NULL);
			snag_json_string(j, NULL, hex);
			snag_json_uint(j, NULL, all[i].n);
			snag_json_end(j);
		}
	snag_json_end(j);
}

int snag_store_write(const struct snag_store *s, const struct snag_hunt *h, struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	char path[PATH];
	snag_shard_path(&s->shards, "json", path);
	int rc = snag_json_open(&j, &to, path, err);
	if (rc < 0)
		return rc;
	snag_json_uint(&j, "shard", s->shards.shard);
	snag_json_uint(&j, "shards", s->shards.nshards);
	snag_json_uint(&j, "schedules", h->runs);
	snag_json_double(&j, "seconds", h->seconds);
	snag_json_array(&j, "failures");
	for (size_t i = 0; i < h->nfound; i++) {
		char hex[SNAG_SHARDS_HEX], file[PATH];
		snag_shards_hex(h->found[i].failure.number, hex);
		snag_store_failure_path(s, &h->found[i], file, sizeof(file));
		snag_json_object(&j, NULL);
		snag_json_string(&j, "kind", snag_failure_name[h->found[i].failure.kind]);
		snag_json_string(&j, "number", hex);
		snag_json_uint(&j, "schedule", h->found[i].schedule);
		snag_json_uint(&j, "switches", h->found[i].switches);
		snag_json_string(&j, "file", strrchr(file, '/') + 1);
		snag_json_end(&j);
	}
	snag_json_end(&j);
	tally_write(&j, "orders", &h->search.orders.seen);
	tally_write(&j, "classes", &h->search.classes.classes);
	snag_json_newline(&j);
	return snag_json_commit(&j, err);
}

static bool tally_read(const json_t *from, struct snag_tally *to)
{
	size_t i;
	json_t *v;
	json_array_foreach(from, i, v)
	{
		const char *hex = json_string_value(json_array_get(v, 0));
		json_int_t n = json_integer_value(json_array_get(v, 1));
		if (!hex || n < 1)
			return false;
		uint64_t number = strtoull(hex, NULL, 16);
		for (json_int_t k = 0; k < (n < 3 ? n : 3); k++) /* once, twice, more often */
			snag_tally_add(to, number);
	}
	return json_is_array(from);
}

static bool failure_read(const json_t *v, unsigned shard, struct snag_store_sum *sum)
{
	const char *kind = json_string_value(json_object_get(v, "kind")),
		   *hex = json_string_value(json_object_get(v, "number")),
		   *file = json_string_value(json_object_get(v, "file"));
	if (!kind || !hex || !file)
		return false;
	uint64_t number = strtoull(hex, NULL, 16);
	for (size_t i = 0; i < sum->nfailures; i++)
		if (sum->failure[i].number == number)
			return true;
	sum->failure =
		snag_grow(sum->failure, &sum->room, sum->nfailures + 1, sizeof(*sum->failure));
	sum->failure[sum->nfailures++] = (struct snag_store_failure){
		.number = number,
		.kind = snag_strdup(kind),
		.file = snag_strdup(file),
		.schedule = (uint64_t)json_integer_value(json_object_get(v, "schedule")),
		.switches = (uint64_t)json_integer_value(json_object_get(v, "switches")),
		.shard = shard};
	return true;
}

static bool result_read(void *ctx, const json_t *root, unsigned shard)
{
	struct snag_store_sum *sum = ctx;
	size_t i;
	json_t *v, *failures = json_object_get(root, "failures"),
		   *schedules = json_object_get(root, "schedules");
	bool ok = json_is_array(failures) && json_is_integer(schedules) &&
		  json_integer_value(schedules) >= 0;
	if (!ok)
		return false;
	sum->schedules += (uint64_t)json_integer_value(schedules);
	sum->seconds += json_number_value(json_object_get(root, "seconds"));
	json_array_foreach(failures, i, v) ok &= failure_read(v, shard, sum);
	return ok && tally_read(json_object_get(root, "orders"), &sum->orders) &&
	       tally_read(json_object_get(root, "classes"), &sum->classes);
}

int snag_store_sum(const char *dir, const json_t *job, struct snag_store_sum *ret,
		   struct snag_error *err)
{
	const char *program = json_string_value(json_object_get(job, "program"));
	*ret = (struct snag_store_sum){0};
	if (!program)
		return snag_fail(err, SNAG_EINPUT, "%s/search.json: is no search of 'snag explore'",
				 dir);
	ret->program = snag_strdup(program);
	int rc = snag_shards_add(dir, job, &ret->shards, result_read, ret, err);
	if (rc < 0)
		snag_store_sum_done(ret);
	return rc;
}

void snag_store_sum_done(struct snag_store_sum *sum)
{
	for (size_t i = 0; i < sum->nfailures; i++) {
		free(sum->failure[i].kind);
		free(sum->failure[i].file);
	}
	free(sum->failure);
	free((char *)sum->program);
	snag_tally_done(&sum->orders);
	snag_tally_done(&sum->classes);
	*sum = (struct snag_store_sum){0};
}
