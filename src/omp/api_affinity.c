/* SPDX-License-Identifier: Apache-2.0
 *
 * api_affinity.c - the functions of <omp.h> that put the affinity of a thread into words
 *
 * A format is text with fields: %[[[0].]size]type, the type a letter or a {name} of the table
 * below, or a second %.  With a size a field is that wide at least, its text to the left; with
 * a point to the right, with 0 and a point filled with zeros.
 *
 * clang's <omp.h> has these functions under names that begin with ompc_.
 */
#include "omp/abi.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FORMAT_ROOM = 256, FIELD_ROOM = 256 };

static char usual[FORMAT_ROOM] = "level %L thread %i affinity %A";

static int team_number(void)
{
	int n;
	return mp_league_at(&n);
}

static int team_count(void)
{
	int n;
	mp_league_at(&n);
	return n;
}

static int level(void)
{
	return mp.now->task->team->level;
}

static int thread_number(void)
{
	return mp.now->task->number;
}

static int thread_count(void)
{
	return mp.now->task->team->n;
}

static int ancestor_number(void)
{
	const struct mp_task *parent = mp.now->task->team->parent;
	return parent ? parent->number : -1;
}

static int process(void)
{
	return getpid();
}

static int native_thread(void)
{
	return (int)syscall(SYS_gettid);
}

static void host_write(char *ret_text)
{
	if (gethostname(ret_text, FIELD_ROOM - 1) < 0)
		ret_text[0] = '\0';
	ret_text[FIELD_ROOM - 1] = '\0';
}

/* The processors it may run on, as 0-3,6. */
static void processors_write(char *ret_text)
{
	cpu_set_t set;
	size_t at = 0;
	ret_text[0] = '\0';
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return;
	for (int i = 0, end; i < CPU_SETSIZE && at + 24 < FIELD_ROOM; i = end + 1) {
		for (end = i; end < CPU_SETSIZE && CPU_ISSET(end, &set); end++)
			;
		if (end == i)
			continue;
		at += (size_t)sprintf(ret_text + at, at ? ",%d" : "%d", i);
		if (end - 1 > i)
			at += (size_t)sprintf(ret_text + at, "-%d", end - 1);
	}
}

static const struct field {
	char letter;
	const char *name;
	int (*number)(void);
	void (*text)(char *ret_text); /* if the field has no number */
} fields[] = {
	{'t', "team_num", team_number, NULL},
	{'T', "num_teams", team_count, NULL},
	{'L', "nesting_level", level, NULL},
	{'n', "thread_num", thread_number, NULL},
	{'N', "num_threads", thread_count, NULL},
	{'a', "ancestor_tnum", ancestor_number, NULL},
	{'H', "host", NULL, host_write},
	{'P', "process_id", process, NULL},
	{'i', "native_thread_id", native_thread, NULL},
	{'A', "thread_affinity", NULL, processors_write},
};

struct words {
	char *text;
	size_t room, n; /* how many there are, also beyond the room */
};

static void put(struct words *w, char c)
{
	if (w->n + 1 < w->room)
		w->text[w->n] = c;
	w->n++;
}

/* The field whose type stands at `*at`, which goes behind it; NULL: there is none. */
static const struct field *field_read(const char **at)
{
	size_t length = **at == '{' ? strcspn(++*at, "}") : 1;
	bool is_long = (*at)[-1] == '{';
	const struct field *found = NULL;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct field *f = &fields[i];
		bool is_it = is_long ? strlen(f->name) == length && !strncmp(f->name, *at, length)
				     : f->letter == **at;
		found = is_it ? f : found;
	}
	*at += length + (is_long && (*at)[length]);
	return found;
}

static void field_put(struct words *w, const char **at)
{
	char text[FIELD_ROOM] = "undefined";
	bool is_filled = **at == '0', is_right;
	size_t size = 0, length;
	*at += is_filled;
	is_right = **at == '.';
	*at += is_right;
	for (; **at >= '0' && **at <= '9'; ++*at)
		size = size < FIELD_ROOM ? 10 * size + (size_t)(**at - '0') : size;
	if (!**at)
		return;
	const struct field *f = field_read(at);
	if (f && f->number)
		snprintf(text, sizeof(text), "%d", f->number());
	else if (f)
		f->text(text);
	length = strlen(text);
	for (size_t i = length; is_right && i < size; i++)
		put(w, is_filled ? '0' : ' ');
	for (size_t i = 0; i < length; i++)
		put(w, text[i]);
	for (size_t i = length; !is_right && i < size; i++)
		put(w, ' ');
}

/* Returns how many characters there are, and fills what there is room for. */
static size_t words_of(char *ret_text, size_t room, const char *format)
{
	struct words w = {ret_text, room, 0};
	const char *at = format && *format ? format : usual;
	while (*at) {
		char c = *at++;
		if (c != '%' || *at == '%') {
			at += c == '%';
			put(&w, c);
		} else {
			field_put(&w, &at);
		}
	}
	if (room)
		ret_text[w.n < room ? w.n : room - 1] = '\0';
	return w.n;
}

MP_ABI(void, omp_set_affinity_format, const char *format)
{
	snprintf(usual, sizeof(usual), "%s", format);
}

MP_ABI(size_t, omp_get_affinity_format, char *ret_format, size_t room)
{
	if (room)
		snprintf(ret_format, room, "%s", usual);
	return strlen(usual);
}

MP_ABI(size_t, omp_capture_affinity, char *ret_text, size_t room, const char *format)
{
	MP_ENTER();
	return words_of(ret_text, room, format);
}

MP_ABI(void, omp_display_affinity, const char *format)
{
	char text[4 * FIELD_ROOM];
	MP_ENTER();
	words_of(text, sizeof(text), format);
	puts(text);
}

#define ALSO(name, type, ...) \
	MP_EXPORT type ompc_##name(__VA_ARGS__) __attribute__((alias("omp_" #name)))
ALSO(set_affinity_format, void, const char *);
ALSO(get_affinity_format, size_t, char *, size_t);
ALSO(capture_affinity, size_t, char *, size_t, const char *);
ALSO(display_affinity, void, const char *);
