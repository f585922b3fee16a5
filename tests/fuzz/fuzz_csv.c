/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_csv.c - CSV text with any bytes, see fuzz_text.h for what must hold
 */
#include "fuzz_text.h"

/* The cell at the beginning of the n bytes, without its quotes; to be freed. */
static char *cell_copy(const char *line, size_t n)
{
	char *cell = calloc(n + 1, 1);
	bool is_quoted = n > 0 && line[0] == '"';
	size_t len = 0;
	for (size_t i = is_quoted; i < n; i++) {
		if (is_quoted && line[i] == '"' && (++i == n || line[i] != '"'))
			break;
		if (!is_quoted && line[i] == ',')
			break;
		cell[len++] = line[i];
	}
	return cell;
}

/* Whether the cell is the operation of the event and its operand. */
static bool cell_matches(const struct snag_names *names, const struct snag_event *ev,
			 const char *cell)
{
	static const char start[] = "start"; /* is another word for fork */
	enum snag_space space = snag_op_info[ev->op].space;
	bool is_start = ev->op == SNAG_OP_FORK && strncmp(cell, start, sizeof(start) - 1) == 0;
	size_t word = is_start ? sizeof(start) - 1 : fuzz_word(ev, cell, strlen(cell));
	if (!word || space == SNAG_SPACE_NONE)
		return word > 0;
	const char *operand = snag_name(names, space, ev->target);
	size_t len = strlen(operand);
	cell += word;
	return cell[0] == '(' && strncmp(cell + 1, operand, len) == 0 &&
	       strcmp(cell + 1 + len, ")") == 0;
}

static bool csv_matches(const struct snag_names *names, const struct snag_event *ev,
			uint64_t line_number, const char *line, size_t n)
{
	size_t column = strtoul(snag_name(names, SNAG_SPACE_THREAD, ev->thread) + 1, NULL, 10);
	uint64_t location = strtoull(snag_name(names, SNAG_SPACE_LOCATION, ev->loc), NULL, 10);
	bool ok = location == line_number && column < n && line[column] != ',';
	for (size_t i = 0; ok && i < column; i++)
		ok = line[i] == ',';
	if (!ok)
		return false;
	char *cell = cell_copy(line + column, n - column);
	ok = cell_matches(names, ev, cell);
	free(cell);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	fuzz_text(snag_csv_source, csv_matches, bytes, n);
	return 0;
}
