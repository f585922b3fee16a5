/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_csv.c - CSV text with any bytes, see fuzz_text.h for what must hold
 */
#include "fuzz_text.h"

static bool csv_matches(const struct snag_names *names, const struct snag_event *ev,
			uint64_t line_number, const char *line, size_t n)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	size_t column = strtoul(snag_name(names, SNAG_SPACE_THREAD, ev->thread) + 1, NULL, 10);
	uint64_t location = strtoull(snag_name(names, SNAG_SPACE_LOCATION, ev->loc), NULL, 10);
	char *cell = NULL;
	int len = op->space == SNAG_SPACE_NONE ? asprintf(&cell, "%s", op->text)
					       : asprintf(&cell, "%s(%s)", op->text,
							  snag_name(names, op->space, ev->target));
	bool ok = location == line_number && column < n && line[column] != ',';
	for (size_t i = 0; ok && i < column; i++)
		ok = line[i] == ',';
	if (ok && ev->op == SNAG_OP_FORK && line[column] == 's') /* start(Tj) */
		ok = (size_t)len + 1 <= n - column &&
		     memcmp(line + column + 6, cell + 5, (size_t)len - 5) == 0;
	else
		ok = ok && (size_t)len <= n - column &&
		     memcmp(line + column, cell, (size_t)len) == 0;
	free(cell);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	fuzz_text(snag_csv_source, csv_matches, bytes, n);
	return 0;
}
