/* SPDX-License-Identifier: Apache-2.0
 *
 * store.c - a folder in which the workers of one search leave what they found
 */
#include "explore/store.h"

#include "base/memory.h"
#include "report/json_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = PATH_MAX, HEX = 17 };

static void path_of(const char *dir, const char *name, char *ret)
{
	if (snprintf(ret, PATH, "%s/%s", dir, name) >= PATH)
		ret[0] = 0; /* which no call finds */
}

static void shard_path(const struct snag_store *s, const char *end, char *ret)
{
	char name[64];
	snprintf(name, sizeof(name), "shard-%u.%s", s->shard, end);
	path_of(s->dir, name, ret);
}

static void hex_of(uint64_t number, char ret[HEX])
{
	snprintf(ret, HEX, "%016" PRIx64, number);
}

/* The program: its contents, so that a rebuilt one is another. */

static bool file_number(const char *path, uint64_t *ret)
{
	char buffer[1 << 16];
	FILE *f = fopen(path, "r");
	size_t n;
	if (!f)
		return false;
	*ret = 0;
	while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		for (size_t i = 0; i < n; i++)
			*ret = (*ret ^ (uint8_t)buffer[i]) * 0x100000001b3u + 0x9e37;
	bool is_read = !ferror(f);
	fclose(f);
	return is_read;
}

static bool program_number(const char *name, uint64_t *ret)
{
	const char *folders = getenv("PATH");
	char path[PATH];
	if (strchr(name, '/'))
		return file_number(name, ret);
	for (; folders && *folders; folders += strcspn(folders, ":"), folders += *folders == ':') {
		snprintf(path, sizeof(path), "%.*s/%s", (int)strcspn(folders, ":"), folders, name);
		if (access(path, X_OK) == 0)
			return file_number(path, ret);
	}
	return false;
}

/* [same] The search of the folder. */

static json_t *search_json(const struct snag_store_search *s, struct snag_error *err)
{
	uint64_t number;
	char hex[HEX];
	if (!program_number(s->argv[0], &number)) {
		snag_fail(err, SNAG_EIO, "%s: %s", s->argv[0], strerror(errno ? errno : ENOENT));
		return NULL;
	}
	hex_of(number, hex);
	json_t *arguments = json_array();
	for (char *const *a = s->argv + 1; *a; a++)
		json_array_append_new(arguments, json_string_nocheck(*a));
	return json_pack("{s:s, s:s, s:s, s:o, s:i, s:I, s:s, s:I}", "version", s->version,
			 "program", s->argv[0], "contents", hex, "arguments", arguments, "shards",
			 (int)s->nshards, "seed", (json_int_t)s->seed, "policy", s->policy,
			 "schedules", (json_int_t)s->schedules);
}

/* What differs first; NULL: nothing. */
static const char *difference(const json_t *ours, const json_t *theirs)
{
	static const char *const key[][2] = {
		{"version", "another version of snag"},
		{"contents", "another program, or another build of it"},
		{"arguments", "other arguments of the program"},
		{"shards", "another number of shards"},
		{"seed", "another seed"},
		{"policy", "another policy"},
		{"schedules", "another number of schedules"}};
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (!json_equal(json_object_get(ours, key[i][0]),
				json_object_get(theirs, key[i][0])))
			return key[i][1];
	return NULL;
}

/* Makes the file as a whole; a worker that was faster has made it. */
static int search_write(const char *dir, const json_t *search, struct snag_error *err)
{
	char path[PATH], own[PATH];
	path_of(dir, "search.json", path);
	snprintf(own, sizeof(own), "%.*s.%ld", PATH - 32, path, (long)getpid());
	int rc = json_dump_file(search, own, JSON_INDENT(1)) == 0 ? 0 : -1;
	if (rc == 0 && link(own, path) < 0 && errno != EEXIST)
		rc = -1;
	int why = errno;
	unlink(own);
	return rc == 0 ? 0 : snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(why));
}

static json_t *json_read(const char *path, struct snag_error *err)
{
	json_error_t why;
	json_t *root = json_load_file(path, 0, &why);
	if (!root && why.line > 0)
		snag_fail(err, SNAG_EINPUT, "%s:%d: %s", path, why.line, why.text);
	else if (!root)
		snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno ? errno : EIO));
	return root;
}

static int search_agree(const char *dir, const struct snag_store_search *search,
			struct snag_error *err)
{
	char path[PATH];
	path_of(dir, "search.json", path);
	json_t *ours = search_json(search, err);
	if (!ours)
		return err->code;
	int rc = access(path, F_OK) == 0 ? 0 : search_write(dir, ours, err);
	json_t *theirs = rc == 0 ? json_read(path, err) : NULL;
	if (rc == 0 && !theirs)
		rc = err->code;
	const char *what = theirs ? difference(ours, theirs) : NULL;
	if (what)
		rc = snag_fail(err, SNAG_EINPUT, "%s: is the store of another search: it has %s",
			       dir, what);
	json_decref(ours);
	json_decref(theirs);
	return rc;
}

/* [one] */
static int shard_lock(struct snag_store *s, struct snag_error *err)
{
	char path[PATH], holder[128] = "", host[64] = "";
	shard_path(s, "lock", path);
	s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0)
		return snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno));
	if (flock(s->lock, LOCK_EX | LOCK_NB) < 0) {
		ssize_t n = read(s->lock, holder, sizeof(holder) - 1);
		holder[n > 0 ? n : 0] = 0;
		close(s->lock);
		s->lock = -1;
		return snag_fail(err, SNAG_EINPUT, "%s: shard %u/%u is being run by %s", s->dir,
				 s->shard, s->nshards, holder[0] ? holder : "another worker");
	}
	gethostname(host, sizeof(host) - 1);
	int n = snprintf(holder, sizeof(holder), "process %ld on %s", (long)getpid(), host);
	if (ftruncate(s->lock, 0) < 0 || pwrite(s->lock, holder, (size_t)n, 0) != n)
		return snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno));
	return 0;
}

int snag_store_open(struct snag_store *s, const char *dir, unsigned shard,
		    const struct snag_store_search *search, struct snag_error *err)
{
	char path[PATH];
	*s = (struct snag_store){
		.dir = dir, .shard = shard, .nshards = search->nshards, .lock = -1};
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return snag_fail(err, SNAG_EIO, "%s: %s", dir, strerror(errno));
	int rc = search_agree(dir, search, err);
	if (rc == 0)
		rc = shard_lock(s, err);
	shard_path(s, "json", path);
	s->has_ended = rc == 0 && access(path, F_OK) == 0;
	return rc;
}

bool snag_store_has_failed(const struct snag_store *s)
{
	char path[PATH];
	struct snag_error unused = {0};
	shard_path(s, "json", path);
	json_t *root = json_read(path, &unused);
	bool has_failed = json_array_size(json_object_get(root, "failures")) > 0;
	json_decref(root);
	return has_failed;
}

void snag_store_close(struct snag_store *s)
{
	if (s->lock >= 0)
		close(s->lock);
	s->lock = -1;
}

void snag_store_failure_path(const struct snag_store *s, const struct snag_found *found, char *ret,
			     size_t room)
{
	snprintf(ret, room, "%s/failure-%s-%08" PRIx64 ".json", s->dir,
		 snag_failure_name[found->failure.kind], found->failure.number & UINT32_MAX);
}

/* Results. */

static void tally_write(struct snag_json *j, const char *key, const struct snag_tally *t)
{
	const struct snag_tallied *all = (const void *)t->table.at;
	snag_json_newline(j);
	snag_json_array(j, key);
	for (size_t i = 0; i < t->table.nslots; i++)
		if (all[i].number) {
			char hex[HEX];
			hex_of(all[i].number, hex);
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
	shard_path(s, "json", path);
	int rc = snag_printer_open(&to, path, err);
	if (rc < 0)
		return rc;
	snag_json_init(&j, &to);
	snag_json_object(&j, NULL);
	snag_json_uint(&j, "shard", s->shard);
	snag_json_uint(&j, "shards", s->nshards);
	snag_json_uint(&j, "schedules", h->runs);
	snag_json_double(&j, "seconds", h->seconds);
	snag_json_array(&j, "failures");
	for (size_t i = 0; i < h->nfound; i++) {
		char hex[HEX], file[PATH];
		hex_of(h->found[i].failure.number, hex);
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
	snag_json_end(&j);
	return snag_printer_commit(&to, err);
}

/* The sum. */

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

static bool result_read(const json_t *root, unsigned shard, struct snag_store_sum *sum)
{
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

static void missing_add(struct snag_store_sum *sum, unsigned shard)
{
	size_t n = strlen(sum->missing), room = sizeof(sum->missing);
	if (n + 16 < room)
		snprintf(sum->missing + n, room - n, "%s%u", n ? ", " : "", shard);
	else if (n + 4 < room && sum->missing[n - 1] != '.')
		snprintf(sum->missing + n, room - n, "...");
}

static int shard_add(const struct snag_store *s, struct snag_store_sum *sum, struct snag_error *err)
{
	char path[PATH];
	shard_path(s, "json", path);
	if (access(path, F_OK) < 0) {
		missing_add(sum, s->shard);
		return 0;
	}
	json_t *root = json_read(path, err);
	if (!root)
		return err->code;
	bool ok = result_read(root, s->shard, sum);
	json_decref(root);
	sum->ended++;
	return ok ? 0 : snag_fail(err, SNAG_EINPUT, "%s: is no result of a shard", path);
}

int snag_store_sum(const char *dir, struct snag_store_sum *ret, struct snag_error *err)
{
	char path[PATH];
	struct snag_store s = {.dir = dir};
	*ret = (struct snag_store_sum){0};
	path_of(dir, "search.json", path);
	json_t *root = json_read(path, err);
	if (!root)
		return err->code;
	json_int_t shards = json_integer_value(json_object_get(root, "shards"));
	const char *program = json_string_value(json_object_get(root, "program"));
	int rc = shards < 1 || shards > 1000000 || !program
			 ? snag_fail(err, SNAG_EINPUT, "%s: is no search of 'snag explore'", path)
			 : 0;
	if (rc == 0)
		ret->program = snag_strdup(program);
	json_decref(root);
	ret->nshards = s.nshards = rc == 0 ? (unsigned)shards : 0;
	for (s.shard = 1; rc == 0 && s.shard <= s.nshards; s.shard++)
		rc = shard_add(&s, ret, err);
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
