/* SPDX-License-Identifier: Apache-2.0
 *
 * server_output.c - standard output and error of a run: the end of each, and a hash of all
 */
#include "base/slots.h"
#include "record/server_state.h"

#include <string.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 16 };

static void output_add(struct snag_output_end *o, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o->hash = snag_hash(o->hash ^ (uint8_t)text[i], 0);
	o->nbytes += n;
	if (n >= SNAG_OUTPUT_KEPT) {
		memcpy(o->last, text + n - SNAG_OUTPUT_KEPT, SNAG_OUTPUT_KEPT);
		o->n = SNAG_OUTPUT_KEPT;
		return;
	}
	if (o->n + n > SNAG_OUTPUT_KEPT) {
		size_t keep = SNAG_OUTPUT_KEPT - n;
		memmove(o->last, o->last + o->n - keep, keep);
		o->n = keep;
	}
	memcpy(o->last + o->n, text, n);
	o->n += n;
}

void snag_server_output_read(struct snag_server *s, struct snag_served *run)
{
	static _Thread_local char text[PIPE_BYTES];
	struct snag_output_end *const to[SNAG_SERVER_OUTPUTS] = {&run->output, &run->error};
	for (int i = 0; i < SNAG_SERVER_OUTPUTS; i++) {
		ssize_t n = read(s->pipe[i][0], text, sizeof(text));
		if (n > 0)
			output_add(to[i], text, (size_t)n);
	}
}

void snag_server_output_drain(struct snag_server *s, struct snag_served *run)
{
	uint64_t before;
	do {
		before = run->output.nbytes + run->error.nbytes;
		snag_server_output_read(s, run);
	} while (run->output.nbytes + run->error.nbytes > before);
}
