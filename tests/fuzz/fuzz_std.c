/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_std.c - STD text with any bytes, see fuzz_text.h for what must hold
 */
#include "fuzz_text.h"

/* Takes the text from the front of *line. */
static bool take(const char **line, size_t *n, const char *text)
{
	size_t len = strlen(text);
	if (len > *n || memcmp(*line, text, len) != 0)
		return false;
	*line += len;
	*n -= len;
	return true;
}

static bool std_matches(const struct snag_names *names, const struct snag_event *ev,
			uint64_t line_number, const char *line, size_t n)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	if (!take(&line, &n, snag_name(names, SNAG_SPACE_THREAD, ev->thread)) ||
	    !take(&line, &n, "|"))
		return false;
	size_t word = fuzz_word(ev, line, n);
	if (!word)
		return false;
	line += word;
	n -= word;
	if (op->space != SNAG_SPACE_NONE) {
		if (!take(&line, &n, "(") ||
		    !take(&line, &n, snag_name(names, op->space, ev->target)) ||
		    !take(&line, &n, ")"))
			return false;
	} else if (n > 0 && line[0] == '(') { /* an operand nobody keeps */
		const char *bar = memchr(line, '|', n);
		if (!bar || bar[-1] != ')')
			return false;
		n -= (size_t)(bar - line);
		line = bar;
	}
	return take(&line, &n, "|") &&
	       take(&line, &n, snag_name(names, SNAG_SPACE_LOCATION, ev->loc)) && n == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	fuzz_text(snag_std_source, std_matches, bytes, n);
	return 0;
}
