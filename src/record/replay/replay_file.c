/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_file.c - the members of a witness file that a replay needs
 */
#include "record/replay/replay_file.h"

#include "base/memory.h"

#include <jansson.h>
#include <string.h>

static void turns_write(const struct snag_turns *turns, struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_array(j, "threads");
	for (size_t i = 0; i < turns->creators.n; i++) {
		const struct snag_created *c = &turns->creators.at[i];
		snag_json_array(j, NULL);
		snag_json_uint(j, NULL, c->thread);
		snag_json_uint(j, NULL, c->creator);
		snag_json_uint(j, NULL, c->index);
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_newline(j);
	snag_json_array(j, "answers");
	for (size_t i = 0; i < turns->answers.n; i++) {
		snag_json_array(j, NULL);
		snag_json_uint(j, NULL, turns->answers.at[i].thread);
		snag_json_uint(j, NULL, turns->answers.at[i].value);
		snag_json_end(j);
	}
	snag_json_end(j);
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

void snag_replay_file_write_failure(const struct snag_turns *turns, const char *failure, int status,
				    struct snag_json *j)
{
	snag_json_string(j, "failure", failure);
	snag_json_uint(j, "status", (uint64_t)status);
	turns_write(turns, j);
}

void snag_replay_file_write(const struct snag_turns *turns, const struct snag_replay_access *access,
			    size_t n, struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_array(j, "accesses");
	for (size_t i = 0; i < n; i++) {
		snag_json_object(j, NULL);
		snag_json_string(j, "place", access[i].place);
		snag_json_bool(j, "write", access[i].is_write);
		snag_json_end(j);
	}
	snag_json_end(j);
	turns_write(turns, j);
}

/* What the runtime of the program reads (sched/policy.c). */
#define NUMBER_MAX (INT64_MAX / 10)

static bool created_read(json_t *v, struct snag_creators *creators)
{
	uint32_t number[3];
	for (size_t i = 0; i < 3; i++) {
		json_t *at = json_array_get(v, i);
		if (!json_is_integer(at) || json_integer_value(at) < 0 ||
		    json_integer_value(at) > INT32_MAX)
			return false;
		number[i] = (uint32_t)json_integer_value(at);
	}
	snag_creators_put(creators, (struct snag_created){number[0], number[1], number[2]});
	return json_array_size(v) == 3;
}

static bool answer_read(json_t *v, struct snag_answers *answers)
{
	json_t *thread = json_array_get(v, 0), *value = json_array_get(v, 1);
	if (json_array_size(v) != 2 || !json_is_integer(thread) || !json_is_integer(value) ||
	    json_integer_value(thread) < 0 || json_integer_value(thread) > INT32_MAX ||
	    json_integer_value(value) < 0 || json_integer_value(value) > INT64_MAX - 1000)
		return false;
	snag_answers_add(answers, (uint32_t)json_integer_value(thread),
			 (uint64_t)json_integer_value(value));
	return true;
}

static bool turn_read(json_t *v, struct snag_turns *turns)
{
	json_t *thread = json_array_get(v, 0), *events = json_array_get(v, 1);
	if (json_array_size(v) != 2 || !json_is_integer(thread) || !json_is_integer(events) ||
	    json_integer_value(thread) < 0 || json_integer_value(thread) > INT32_MAX ||
	    json_integer_value(events) < 0 || json_integer_value(events) > NUMBER_MAX)
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
	json_t *turns = json_object_get(root, "turns"), *threads = json_object_get(root, "threads"),
	       *answers = json_object_get(root, "answers"),
	       *accesses = json_object_get(root, "accesses"),
	       *waits = json_object_get(root, "waits"), *failure = json_object_get(root, "failure"),
	       *status = json_object_get(root, "status");
	size_t n = json_array_size(turns), naccesses = json_array_size(accesses);
	bool is_of_accesses = naccesses == 2 || naccesses == SNAG_REPLAY_ACCESSES;
	bool ok = failure ? n >= 1 && json_is_string(failure) && json_is_integer(status)
			  : n >= 2 && (waits ? waits_read(waits, file) : is_of_accesses);
	if (ok && failure) {
		file->failure = snag_strdup(json_string_value(failure));
		file->status = (int)json_integer_value(status);
	}
	file->is_behind = json_object_get(root, "freed") != NULL;
	for (size_t i = 0; i < n && ok; i++)
		ok = turn_read(json_array_get(turns, i), &file->turns);
	for (size_t i = 0; i < json_array_size(threads) && ok; i++)
		ok = created_read(json_array_get(threads, i), &file->turns.creators);
	for (size_t i = 0; i < json_array_size(answers) && ok; i++)
		ok = answer_read(json_array_get(answers, i), &file->turns.answers);
	for (size_t i = 0; i < naccesses && ok && !waits && !failure; i++) {
		ok = access_read(json_array_get(accesses, i), &file->access[i]);
		file->naccesses += ok;
	}
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
	for (size_t i = 0; i < SNAG_REPLAY_ACCESSES; i++)
		free((char *)file->access[i].place);
	for (size_t i = 0; i < file->nwaits; i++)
		free(file->wait[i]);
	free(file->wait);
	free(file->failure);
}
