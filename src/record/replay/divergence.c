/* SPDX-License-Identifier: Apache-2.0
 *
 * divergence.c - why a replay did not reach its goal, in words
 */
#include "record/replay/divergence.h"

#include "trace/callstack.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE = 4096 };

void snag_sentence_add(struct snag_sentence *w, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(w->at + w->n, w->room - w->n, format, args);
	va_end(args);
	if (n > 0)
		w->n = w->n + (size_t)n < w->room ? w->n + (size_t)n : w->room - 1;
}

void snag_divergence_stuck(struct snag_sentence *w, const struct snag_turns *turns,
			   const struct snag_convert_notes *notes, const struct snag_names *names)
{
	static const char *const why[RT_STUCKS] = {
		[RT_STUCK_MISSING] = "it was not created, or has ended",
		[RT_STUCK_LOCK] = "it waits for a lock",
		[RT_STUCK_WAITS] = "it waits for another thread",
	};
	snag_sentence_add(w, "at turn %" PRIu64 " of %zu ", notes->turn + 1, turns->n);
	if (notes->turn < turns->n)
		snag_sentence_add(w, "T%" PRIu32 " cannot run: ", turns->at[notes->turn].thread);
	snag_sentence_add(w, "%s", why[notes->stuck < RT_STUCKS ? notes->stuck : RT_STUCK_WAITS]);
	if (notes->has_stuck_loc) {
		char place[PLACE];
		snag_location_text(names, notes->stuck_loc, place, sizeof(place));
		snag_sentence_add(w, " at %s", place);
	}
}

/* A file is read again from where it was. */
static bool input_differs(const struct snag_live_end *end)
{
	struct stat st;
	return end->verdict.has_read && !(fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode));
}

void snag_divergence_causes(struct snag_sentence *w, const struct snag_live_end *end)
{
	const char *cause[RT_INPUTS + 1];
	size_t n = 0;
	if (input_differs(end))
		cause[n++] = "its standard input is no file";
	if (end->inputs >> RT_INPUT_PID & 1)
		cause[n++] = "it asks for its process id";
	if (end->inputs >> RT_INPUT_RANDOM & 1)
		cause[n++] = "it asks for random numbers";
	if (end->inputs >> RT_INPUT_TIME & 1)
		cause[n++] = "it asks for the time";
	for (size_t i = 0; i < n; i++)
		snag_sentence_add(w, "%s%s",
				  i == 0 ? "; the program may differ from run to run: " : ", ",
				  cause[i]);
}

void snag_replay_end_take(struct snag_replay_result *result, const struct snag_live_end *end)
{
	result->was_late = end->was_late && !result->is_confirmed;
	result->was_killed = end->was_late;
	result->diverged = end->notes.diverged;
	result->turn = end->notes.turn;
	result->status = end->status;
}

void snag_divergence_fill(struct snag_replay_result *result, const struct snag_live_end *end,
			  const struct snag_turns *turns, const struct snag_names *names,
			  const char *missed)
{
	struct snag_sentence words = {.at = result->words, .room = sizeof(result->words)};
	if (end->was_late) {
		snag_sentence_add(&words, "%s in the time there was", missed);
		return;
	}
	if (end->notes.diverged)
		snag_divergence_stuck(&words, turns, &end->notes, names);
	else
		snag_sentence_add(&words, "the schedule was followed, but %s", missed);
	snag_divergence_causes(&words, end);
}
