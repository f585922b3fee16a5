/* SPDX-License-Identifier: Apache-2.0
 *
 * shards.c - a folder in which the workers of one job leave what they found
 */
#include "explore/shards.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = PATH_MAX };

int snag_shard_parse(const char *text, unsigned *ret_shard, unsigned *ret_nshards,
		     struct snag_error *err)
{
	unsigned long i = 0, n = 0;
	char *end = (char *)text;
	bool ok = text[0] >= '0' && text[0] <= '9';
	if (ok)
		i = strtoul(text, &end, 10);
	ok &= end[0] == '/' && end[1] >= '0' && end[1] <= '9';
	if (ok)
		n = strtoul(end + 1, &end, 10);
	if (!ok || *end || i < 1 || i > n || n > SNAG_SHARDS_MOST)
		return snag_fail(err, SNAG_EINPUT,
				 "--shard: expected I/N with I from 1 to N, not '%s'", text);
	*ret_shard = (unsigned)i;
	*ret_nshards = (unsigned)n;
	return 0;
}

static void path_of(const char *dir, const char *name, char *ret)
{
	if (snprintf(ret, PATH, "%s/%s", dir, name) >= PATH)
		ret[0] = 0; /* which no call finds */
}

void snag_shard_path(const struct snag_shards *s, const char *end, char *ret)
{
	char name[64];
	snprintf(name, sizeof(name), "shard-%u.%s", s->shard, end);
	path_of(s->dir, name, ret);
}

void snag_shards_hex(uint64_t number, char ret[SNAG_SHARDS_HEX])
{
	snprintf(ret, SNAG_SHARDS_HEX, "%016" PRIx64, number);
}

bool snag_shards_contents(const char *path, uint64_t *ret)
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

/* [same] */

/* What differs first; NULL: nothing. */
static const char *difference(const struct snag_shards_key *key, const json_t *ours,
			      const json_t *theirs)
{
	for (; key->name; key++)
		if (!json_equal(json_object_get(ours, key->name),
				json_object_get(theirs, key->name)))
			return key->other;
	return NULL;
}

/* Makes the file as a whole; a worker that was faster has made it. */
static int job_write(const char *dir, const json_t *job, struct snag_error *err)
{
	char path[PATH], own[PATH];
	path_of(dir, "search.json", path);
	snprintf(own, sizeof(own), "%.*s.%ld", PATH - 32, path, (long)getpid());
	int rc = json_dump_file(job, own, JSON_INDENT(1)) == 0 ? 0 : -1;
	if (rc == 0 && link(own, path) < 0 && errno != EEXIST)
		rc = -1;
	int why = errno;
	unlink(own);
	return rc == 0 ? 0 : snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(why));
}

json_t *snag_shards_read(const char *path, struct snag_error *err)
{
	json_error_t why;
	json_t *root = json_load_file(path, 0, &why);
	if (!root && why.line > 0)
		snag_fail(err, SNAG_EINPUT, "%s:%d: %s", path, why.line, why.text);
	else if (!root)
		snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno ? errno : EIO));
	return root;
}

json_t *snag_shards_job(const char *dir, struct snag_error *err)
{
	char path[PATH];
	path_of(dir, "search.json", path);
	return snag_shards_read(path, err);
}

static int job_agree(const char *dir, const json_t *ours, const struct snag_shards_key *key,
		     struct snag_error *err)
{
	char path[PATH];
	path_of(dir, "search.json", path);
	int rc = access(path, F_OK) == 0 ? 0 : job_write(dir, ours, err);
	json_t *theirs = rc == 0 ? snag_shards_read(path, err) : NULL;
	if (rc == 0 && !theirs)
		rc = err->code;
	const char *what = theirs ? difference(key, ours, theirs) : NULL;
	if (what)
		rc = snag_fail(err, SNAG_EINPUT, "%s: is the store of another search: it has %s",
			       dir, what);
	json_decref(theirs);
	return rc;
}

/* [one] */
static int shard_lock(struct snag_shards *s, struct snag_error *err)
{
	char path[PATH], holder[128] = "", host[64] = "";
	snag_shard_path(s, "lock", path);
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

int snag_shards_open(struct snag_shards *s, const json_t *job, const struct snag_shards_key *key,
		     struct snag_error *err)
{
	char path[PATH];
	s->lock = -1;
	if (mkdir(s->dir, 0777) < 0 && errno != EEXIST)
		return snag_fail(err, SNAG_EIO, "%s: %s", s->dir, strerror(errno));
	int rc = job_agree(s->dir, job, key, err);
	if (rc == 0)
		rc = shard_lock(s, err);
	snag_shard_path(s, "json", path);
	s->has_ended = rc == 0 && access(path, F_OK) == 0;
	return rc;
}

void snag_shards_close(struct snag_shards *s)
{
	if (s->lock >= 0)
		close(s->lock);
	s->lock = -1;
}

static void missing_add(struct snag_shards_sum *sum, unsigned shard)
{
	size_t n = strlen(sum->missing), room = sizeof(sum->missing);
	if (n + 16 < room)
		snprintf(sum->missing + n, room - n, "%s%u", n ? ", " : "", shard);
	else if (n + 4 < room && sum->missing[n - 1] != '.')
		snprintf(sum->missing + n, room - n, "...");
}

static int shard_add(const struct snag_shards *s, struct snag_shards_sum *sum,
		     snag_shards_reader *reader, void *ctx, struct snag_error *err)
{
	char path[PATH];
	snag_shard_path(s, "json", path);
	if (access(path, F_OK) < 0) {
		missing_add(sum, s->shard);
		return 0;
	}
	json_t *root = snag_shards_read(path, err);
	if (!root)
		return err->code;
	bool ok = reader(ctx, root, s->shard);
	json_decref(root);
	sum->ended++;
	return ok ? 0 : snag_fail(err, SNAG_EINPUT, "%s: is no result of a shard", path);
}

int snag_shards_add(const char *dir, const json_t *job, struct snag_shards_sum *sum,
		    snag_shards_reader *reader, void *ctx, struct snag_error *err)
{
	struct snag_shards s = {.dir = dir};
	json_int_t shards = json_integer_value(json_object_get(job, "shards"));
	int rc = 0;
	*sum = (struct snag_shards_sum){0};
	if (shards < 1 || shards > SNAG_SHARDS_MOST)
		return snag_fail(err, SNAG_EINPUT, "%s/search.json: has no number of shards", dir);
	sum->nshards = s.nshards = (unsigned)shards;
	for (s.shard = 1; rc == 0 && s.shard <= s.nshards; s.shard++)
		rc = shard_add(&s, sum, reader, ctx, err);
	return rc;
}
