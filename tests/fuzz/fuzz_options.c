/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_options.c - any text as SNAG_OPTIONS and TSAN_OPTIONS, as the runtime of a program reads
 * them
 *
 * The runtime takes the options, or ends the program with one printable line.  Texts keep their
 * end.  TSAN_OPTIONS ends a program only for the value of an option that both tools have.
 */
#include "fuzz.h"

#include <setjmp.h>

#include "runtime/options.c"

struct rt rt;
struct rt_run rt_run;
__thread struct rt_hot rt_hot;
static jmp_buf ended;
static const char *refused_for; /* NULL: nothing */

void rt_run_end(void)
{
}

bool rt_record_room(struct rt_record record)
{
	return false;
}

void rt_record_settle_now(void)
{
}

void rt_record_text(enum rt_op op, uint64_t address, const char *text, size_t n)
{
	fuzz_require(op == RT_MODULE && !address && strnlen(text, n) == n);
}

void rt_line_text(struct rt_line *line, const char *text)
{
	while (*text && line->n < sizeof(line->text) - 1)
		line->text[line->n++] = *text++;
}

void rt_line_number(struct rt_line *line, uint64_t number)
{
	char digits[24];
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	rt_line_text(line, digits);
}

void rt_line_print(struct rt_line *line)
{
	fuzz_require(line->n < sizeof(line->text));
	line->n = 0;
}

void rt_fail(const char *why)
{
	for (const char *p = why; *p; p++)
		fuzz_require(*p >= 0x20 && *p != 0x7f);
	refused_for = strstr(why, "unknown") || strstr(why, "expected") ? "key" : "value";
	longjmp(ended, 1);
}

void rt_sys_exit(int status)
{
	fuzz_require(status == 0); /* help=1 */
	longjmp(ended, 1);
}

static void texts_require(void)
{
	const size_t room = sizeof(rt_options.schedule);
#define NUMBER(name, value, about)
#define SHARED(name, value, about)
#define TEXT(name, value, about) fuzz_require(strnlen(rt_options.name, room) < room);
#define TOOL(name, about)
#include "runtime/options.def"
#undef NUMBER
#undef SHARED
#undef TEXT
#undef TOOL
}

static void options_take(const char *variable, char *text)
{
	static struct rt_options before;
	static bool has_before;
	char *environment[] = {text, NULL};
	if (!has_before)
		before = rt_options;
	has_before = true;
	environ = environment;
	refused_for = NULL;
	if (setjmp(ended) == 0)
		rt_options_read();
	texts_require();
	if (refused_for && strcmp(variable, "TSAN_OPTIONS") == 0)
		fuzz_require(strcmp(refused_for, "value") == 0);
	rt_options = before;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const variable[] = {"SNAG_OPTIONS", "TSAN_OPTIONS", RT_CHANNEL_ENV};
	char **was = environ;
	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
		size_t len = strlen(variable[i]);
		char *text = calloc(1, len + n + 2);
		fuzz_require(text != NULL);
		memcpy(text, variable[i], len);
		text[len] = '=';
		memcpy(text + len + 1, n ? (const void *)bytes : "", n);
		options_take(variable[i], text);
		free(text);
	}
	environ = was;
	return 0;
}
