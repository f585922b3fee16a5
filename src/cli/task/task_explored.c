/* SPDX-License-Identifier: Apache-2.0
 *
 * task_explored.c - the findings of an exploration in the form that the report prints
 */
#include "cli/task/task_explored.h"

#include "base/memory.h"

static struct snag_task_place place_of(const struct snag_program *program, snag_loc loc)
{
	struct snag_place place = snag_program_place(program, loc);
	return (struct snag_task_place){place.line, place.column};
}

static struct snag_task_explored_access access_of(const struct snag_program *program,
						  const struct snag_explored_access *a)
{
	return (struct snag_task_explored_access){
		.task = a->task, .place = place_of(program, a->loc), .is_write = a->is_write};
}

static struct snag_task_schedule schedule_of(const struct snag_schedule *s)
{
	return (struct snag_task_schedule){.task = s->task, .n = s->n};
}

static struct snag_task_explored_stuck stuck_of(const struct snag_program *program,
						const struct snag_explored_stuck *stuck)
{
	struct snag_task_wait *wait = snag_calloc(stuck->n + 1, sizeof(*wait));
	for (size_t i = 0; i < stuck->n; i++)
		wait[i] = (struct snag_task_wait){.task = stuck->wait[i].task,
						  .place = place_of(program, stuck->wait[i].loc),
						  .what = stuck->wait[i].what};
	return (struct snag_task_explored_stuck){
		.wait = wait, .n = stuck->n, .schedule = schedule_of(&stuck->schedule)};
}

void cli_task_explored(const struct snag_program *program, const struct snag_explored *from,
		       struct snag_task_explored *ret_to)
{
	struct snag_task_explored *to = ret_to;
	*to = (struct snag_task_explored){.schedules = from->schedules,
					  .redundant = from->redundant,
					  .cut = from->cut,
					  .final_states = from->final_states,
					  .graphs = from->graphs,
					  .seconds = from->seconds,
					  .exhaustive = from->exhaustive,
					  .deterministic = from->deterministic,
					  .gap = snag_explore_gap_text(from->gap),
					  .nraces = from->nraces,
					  .nerrors = from->nerrors,
					  .confirmed = from->confirmed,
					  .same_memory = from->same_memory,
					  .same_graph = from->same_graph};
	to->race = snag_calloc(from->nraces + 1, sizeof(*to->race));
	for (size_t i = 0; i < from->nraces; i++) {
		const struct snag_explored_race *race = &from->race[i];
		to->race[i] = (struct snag_task_explored_race){
			.variable = race->variable,
			.first = access_of(program, &race->first),
			.second = access_of(program, &race->second),
			.schedule = schedule_of(&race->schedule)};
	}
	to->error = snag_calloc(from->nerrors + 1, sizeof(*to->error));
	for (size_t i = 0; i < from->nerrors; i++)
		to->error[i] = (struct snag_task_explored_error){
			.message = from->error[i].message,
			.schedule = schedule_of(&from->error[i].schedule)};
	to->deadlock = stuck_of(program, &from->deadlock);
	to->endless = stuck_of(program, &from->endless);
}

void cli_task_explored_done(struct snag_task_explored *x)
{
	free(x->race);
	free(x->error);
	free(x->deadlock.wait);
	free(x->endless.wait);
}
