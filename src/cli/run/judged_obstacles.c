/* SPDX-License-Identifier: Apache-2.0
 *
 * judged_obstacles.c - obstacles to the verdict of a program that was judged inside, with their
 * places
 */
#include "cli/run/judged_obstacles.h"

#include "cc/libraries.h"
#include "cli/run/task_verdict.h"
#include "report/source/symbols.h"

#include <stdio.h>

bool cli_has_obstacle(const struct rt_verdict *verdict)
{
	for (int k = 0; k < RT_OBSTACLES; k++)
		if (verdict->obstacle[k])
			return true;
	return false;
}

static size_t id_parse(const char *text, uint8_t id[RT_BUILD_ID / 2])
{
	size_t n = 0;
	for (unsigned byte; n < RT_BUILD_ID / 2 && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		id[n] = (uint8_t)byte;
	return n;
}

/* Reads the symbols of the program that ran, which its build id names.  Without an id the file
 * might be another one: for example, a script may have started the program. */
static bool symbols_read(struct snag_symbols *symbols, const struct rt_verdict *verdict,
			 const char *program)
{
	char path[PATH_MAX], hex[RT_BUILD_ID + 1];
	uint8_t id[RT_BUILD_ID / 2];
	snprintf(hex, sizeof(hex), "%.*s", RT_BUILD_ID, verdict->program.build_id);
	cc_program_path(program, path);
	const struct snag_module module = {.path = path,
					   .bias = verdict->program.base,
					   .start = verdict->program.base,
					   .end = verdict->program.end,
					   .build_id = id,
					   .build_id_bytes = id_parse(hex, id)};
	return module.build_id_bytes && snag_symbols_add(symbols, &module, NULL) == 0;
}

static snag_loc location(struct snag_symbols *symbols, struct snag_names *names, uint64_t pc)
{
	struct snag_frame frame[SNAG_MAX_FRAMES];
	char text[1024];
	size_t i = 0, nframes = snag_symbols_frames(symbols, pc - 1, frame);
	while (i + 1 < nframes && snag_frame_is_of_header(&frame[i]))
		i++;
	size_t n = snag_frame_name(&frame[i], SNAG_NO_ID, text, sizeof(text));
	return snag_strtab_intern(&names->space[SNAG_SPACE_LOCATION], text,
				  n < sizeof(text) ? n : sizeof(text) - 1);
}

bool cli_obstacles_print(const struct rt_verdict *verdict, const char *program, const char *tool)
{
	struct snag_certificate certificate = {0};
	struct snag_error err = {0};
	struct snag_printer to;
	struct snag_names names;
	struct snag_symbols *symbols = snag_symbols_new();
	bool is_known = symbols_read(symbols, verdict, program);
	snag_names_init(&names);
	for (enum rt_obstacle k = 0; is_known && k < RT_OBSTACLES; k++)
		if (verdict->obstacle[k])
			cli_certificate_obstacle(&certificate, k,
						 location(symbols, &names, verdict->obstacle[k]));
	if (is_known && snag_printer_open(&to, "/dev/stderr", &err) == 0) {
		snag_certificate_text(&certificate, &names, tool, &to);
		snag_printer_commit(&to, &err);
	}
	snag_names_done(&names);
	snag_symbols_free(symbols);
	return is_known;
}
