/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_file.c - the members of a witness file that a replay needs
 */
#include "record/replay_file.h"

#include "base/memory.h"

#include <jansson.h>
#include <string.h>

static void turns_write(const struct snag_turns *turns, struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_array(j, "turns");
	for (size_t i = 0; i < turns->n; i++) {
		snag_json_array(j, NULL);
		snag_json_uint(j, NULL, turns->at[i].thread);
		snag_json_uint(j, NULL, turns->at[i].events);
		snag_json_end(j);
	}
	snag_json_end(j);
}

void snag_replay_file_write_deadlock(const struct snag_turns *turns, const char *const *place,
				     size_t n, struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_array(j, "waits");
	for (size_t i = 0; i < n; i++) {
		snag_json_object(j, NULL);
		snag_json_string(j, "place", place[i]);
		snag_json_end(j);
	}
	snag_json_end(j);
	turns_write(turns, j);
}

void snag_replay_file_write(const struct snag_turns *turns,
			    const struct snag_replay_access access[2], struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_array(j, "accesses");
	for (int i = 0; i < 2; i++) {
		snag_json_object(j, NULL);
		snag_json_string(j, "place", access[i].place);
		snag_json_bool(j, "write", access[i].is_write);
		snag_json_end(j);
	}
	snag_json_end(j);
	turns_write(turns, j);
}

static bool turn_read(json_t *v, struct snag_turns *turns)
{
	json_t *thread = json_array_get(v, 0), *events = json_array_get(v, 1);
	if (json_array_size(v) != 2 || !json_is_integer(thread) || !json_is_integer(events) ||
	    json_integer_value(thread) < 0 || json_integer_value(thread) > INT32_MAX ||
	    json_integer_value(events) < 0)
		return false;
	/* One by one: a file may have several turns of one thread in a row. */
	turns->at = snag_grow(turns->at, &turns->room, turns->n + 1, sizeof(*turns->at));
	turns->at[turns->n++] = (struct snag_turn){(uint32_t)json_integer_value(thread),
						   (uint64_t)json_integer_value(events)};
	return true;
}

static bool access_read(json_t *v, struct snag_replay_access *access)
{
	const char *place = json_string_value(json_object_get(v, "place"));
	json_t *write = json_object_get(v, "write");
	if (!place || !json_is_boolean(write))
		return false;
	access->place = strcpy(snag_alloc(strlen(place) + 1), place);
	access->is_write = json_boolean_value(write);
	return true;
}

static bool waits_read(json_t *waits, struct snag_replay_file *file)
{
	size_t n = json_array_size(waits);
	file->wait = snag_calloc(n, sizeof(*file->wait));
	for (; file->nwaits < n; file->nwaits++) {
		json_t *v = json_array_get(waits, file->nwaits);
		const char *place = json_string_value(json_object_get(v, "place"));
		if (!place)
			return false;
		file->wait[file->nwaits] = strcpy(snag_alloc(strlen(place) + 1), place);
	}
	return n >= 2;
}

static bool object_read(json_t *root, struct snag_replay_file *file)
{
	json_t *turns = json_object_get(root, "turns"),
	       *accesses = json_object_get(root, "accesses"),
	       *waits = json_object_get(root, "waits");
	size_t n = json_array_size(turns);
	bool ok = n >= 2 && (waits ? waits_read(waits, file) : json_array_size(accesses) == 2);
	for (size_t i = 0; i < n && ok; i++)
		ok = turn_read(json_array_get(turns, i), &file->turns);
	for (size_t i = 0; i < 2 && ok && !waits; i++)
		ok = access_read(json_array_get(accesses, i), &file->access[i]);
	return ok;
}

int snag_replay_file_read(const char *path, struct snag_replay_file *ret_file,
			  struct snag_error *err)
{
	json_error_t why;
	json_t *root = json_load_file(path, 0, &why);
	if (!root && why.line > 0)
		return snag_fail(err, SNAG_EINPUT, "%s:%d: %s", path, why.line, why.text);
	if (!root)
		return snag_fail(err, SNAG_EIO, "%s", why.text);
	struct snag_replay_file file = {0};
	bool ok = object_read(root, &file);
	json_decref(root);
	if (!ok) {
		snag_replay_file_done(&file);
		return snag_fail(err, SNAG_EINPUT,
				 "%s: has no schedule to replay: expected a file that 'snag run "
				 "--witness' has "
				 "written",
				 path);
	}
	*ret_file = file;
	return 0;
}

void snag_replay_file_done(struct snag_replay_file *file)
{
	snag_turns_done(&file->turns);
	for (int i = 0; i < 2; i++)
		free((char *)file->access[i].place);
	for (size_t i = 0; i < file->nwaits; i++)
		free(file->wait[i]);
	free(file->wait);
}
