/* SPDX-License-Identifier: Apache-2.0
 *
 * witness.c - reading a witness file
 *
 * Idea.   A small JSON reader that keeps some members and skips the rest.
 *
 * Format. file    := object | array | number*            white space between
 *         object  := a JSON object with a member "witness": array and perhaps
 *                    "prefix": {"THREAD": number, ...} and "deadlock": array,
 *                    "atomicity": array or "freed": array; other members may be anything and are
 *                    skipped
 *         array   := a JSON array of numbers
 *         number  := digits, below 2^32 - 1
 *
 * Bounds. A witness has no event twice, so more numbers than the trace has events
 *         are refused as they come; a name is at most NAME_BYTES long; what is
 *         skipped nests at most MAX_DEPTH deep.  Memory is that of the numbers.
 */
#include "witness/witness.h"

#include "base/memory.h"
#include "trace/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 1 << 16, MAX_DEPTH = 64 };
enum { END = -1 }; /* peek() at the end of the file */

struct reader {
	struct snag_input *in;
	const struct snag_trace *trace;
	struct snag_witness *w;
	size_t cap; /* of w->event */
	uint64_t line;
	char *name; /* the last string read: NAME_BYTES, NUL-terminated */
	size_t name_len;
	bool has_witness;
	struct snag_error *err;
	int rc; /* the first error; from then on the file is at its END */
};

void snag_witness_done(struct snag_witness *w)
{
	if (!w)
		return;
	free(w->prefix);
	free(w->event);
	free(w->request);
	free(w->unit);
	free(w->freed);
	memset(w, 0, sizeof(*w));
}

void snag_witness_copy(const struct snag_witness *w, size_t nthreads, struct snag_race *ret_race)
{
	ret_race->witness = snag_realloc(NULL, w->n + 1, sizeof(*w->event));
	if (w->n)
		memcpy(ret_race->witness, w->event, w->n * sizeof(*w->event));
	ret_race->nwitness = w->n;
	snag_race_prefix_set(ret_race, w->prefix, nthreads);
}

__attribute__((format(printf, 2, 3))) static void fail(struct reader *r, const char *fmt, ...)
{
	char why[200];
	if (r->rc < 0)
		return;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	r->rc = snag_fail(r->err, SNAG_EINPUT, "%.200s:%llu: %s", r->in->name,
			  (unsigned long long)r->line, why);
}

static int peek(struct reader *r)
{
	if (r->rc < 0)
		return END;
	if (r->in->at == r->in->end) {
		ssize_t have = snag_input_fill(r->in, 1, r->err);
		if (have < 0)
			r->rc = (int)have;
		if (have <= 0)
			return END;
	}
	return *r->in->at;
}

/* Steps over the byte that peek() returned. */
static void advance(struct reader *r)
{
	if (*r->in->at == '\n')
		r->line++;
	r->in->at++;
}

static int peek_past_space(struct reader *r)
{
	int c;
	while ((c = peek(r)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		advance(r);
	return c;
}

static bool accept_byte(struct reader *r, int c)
{
	if (peek(r) != c)
		return false;
	advance(r);
	return true;
}

static bool accept(struct reader *r, int c) /* behind white space */
{
	peek_past_space(r);
	return accept_byte(r, c);
}

static void unexpected(struct reader *r, const char *wanted)
{
	int c = peek(r);
	if (c == END)
		fail(r, "expected %s, but the file ends", wanted);
	else if (c > 0x20 && c < 0x7f)
		fail(r, "expected %s, not '%c'", wanted, c);
	else
		fail(r, "expected %s, not byte 0x%02x", wanted, (unsigned)c);
}

static void expect(struct reader *r, int c, const char *wanted)
{
	if (!accept(r, c))
		unexpected(r, wanted);
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* A number below SNAG_NO_EVENT; 0 on failure. */
static uint32_t read_number(struct reader *r, const char *wanted)
{
	uint64_t n = 0;
	if (!is_digit(peek_past_space(r))) {
		unexpected(r, wanted);
		return 0;
	}
	for (int c; is_digit(c = peek(r)); advance(r)) {
		n = n * 10 + (uint64_t)(c - '0');
		if (n >= SNAG_NO_EVENT) {
			fail(r, "the number is too large");
			return 0;
		}
	}
	int c = peek(r);
	if (c == '.' || c == 'e' || c == 'E')
		unexpected(r, "a whole number");
	return r->rc < 0 ? 0 : (uint32_t)n;
}

static void name_add(struct reader *r, unsigned byte)
{
	if (r->name_len + 1 == NAME_BYTES)
		fail(r, "the name is longer than %d bytes", NAME_BYTES - 1);
	else
		r->name[r->name_len++] = (char)byte;
}

static unsigned read_hex4(struct reader *r)
{
	unsigned code = 0;
	for (int i = 0; i < 4; i++) {
		int c = peek(r);
		if (is_digit(c)) {
			code = code * 16 + (unsigned)(c - '0');
		} else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
			code = code * 16 + (unsigned)((c | 0x20) - 'a' + 10);
		} else {
			unexpected(r, "four hexadecimal digits");
			return 0;
		}
		advance(r);
	}
	return code;
}

/* \uXXXX, perhaps the first half of a surrogate pair, as UTF-8. */
static void read_unicode(struct reader *r)
{
	unsigned code = read_hex4(r);
	if (code >= 0xd800 && code < 0xdc00) {
		unsigned low = 0;
		if (accept_byte(r, '\\') && accept_byte(r, 'u'))
			low = read_hex4(r);
		if (low < 0xdc00 || low > 0xdfff)
			fail(r, "half a surrogate pair");
		code = 0x10000 + ((code - 0xd800) << 10) + ((low - 0xdc00) & 0x3ff);
	} else if (code == 0 || (code >= 0xdc00 && code <= 0xdfff)) {
		fail(r, "\\u%04x is no character of a name", code);
	}
	if (r->rc < 0)
		return;
	if (code < 0x80) {
		name_add(r, code);
		return;
	}
	if (code < 0x800) {
		name_add(r, 0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			name_add(r, 0xe0 | code >> 12);
		} else {
			name_add(r, 0xf0 | code >> 18);
			name_add(r, 0x80 | (code >> 12 & 0x3f));
		}
		name_add(r, 0x80 | (code >> 6 & 0x3f));
	}
	name_add(r, 0x80 | (code & 0x3f));
}

static void read_escape(struct reader *r)
{
	static const char letter[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
	int c = peek(r);
	const char *at = c > 0 ? strchr(letter, c) : NULL;
	if (at) {
		advance(r);
		name_add(r, (unsigned char)meaning[at - letter]);
	} else if (c == 'u') {
		advance(r);
		read_unicode(r);
	} else {
		unexpected(r, "an escape sequence");
	}
}

/* Leaves the string in r->name. */
static void read_string(struct reader *r, const char *wanted)
{
	r->name_len = 0;
	expect(r, '"', wanted);
	while (r->rc == 0) {
		int c = peek(r);
		if (c == END || c < 0x20) {
			unexpected(r, "the end of the string");
			return;
		}
		advance(r);
		if (c == '"')
			break;
		if (c == '\\')
			read_escape(r);
		else
			name_add(r, (unsigned)c);
	}
	r->name[r->name_len] = '\0';
}

static void skip_value(struct reader *r, int depth);

static void skip_members(struct reader *r, bool is_object, int depth)
{
	int close = is_object ? '}' : ']';
	advance(r);
	if (accept(r, close))
		return;
	do {
		if (is_object) {
			read_string(r, "a member name");
			expect(r, ':', "':'");
		}
		skip_value(r, depth + 1);
	} while (r->rc == 0 && accept(r, ','));
	expect(r, close, is_object ? "',' or '}'" : "',' or ']'");
}

static void skip_string(struct reader *r) /* of any length */
{
	advance(r);
	for (int c; (c = peek(r)) != '"';) {
		if (c == END || c < 0x20) {
			unexpected(r, "the end of the string");
			return;
		}
		advance(r);
		if (c == '\\' && peek(r) != END)
			advance(r);
	}
	advance(r);
}

static void skip_value(struct reader *r, int depth)
{
	int c = peek_past_space(r);
	if (depth > MAX_DEPTH) {
		fail(r, "nested more than %d deep", MAX_DEPTH);
	} else if (c == '{' || c == '[') {
		skip_members(r, c == '{', depth);
	} else if (c == '"') {
		skip_string(r);
	} else { /* a number, true, false, null */
		size_t n = 0;
		for (; is_digit(c) || (c >= 'a' && c <= 'z') || c == 'E' || c == '-' || c == '+' ||
		       c == '.';
		     c = peek(r), n++)
			advance(r);
		if (n == 0)
			unexpected(r, "a value");
	}
}

/* A list of events; without one that is twice in it, none is longer than the trace. */
struct list {
	uint32_t **event;
	size_t *n, *cap;
};

static void add_event(struct reader *r, struct list to, uint32_t event)
{
	if (*to.n == r->trace->n) {
		fail(r, "more events than the trace has (%zu)", r->trace->n);
		return;
	}
	*to.event = snag_grow(*to.event, to.cap, *to.n + 1, sizeof(**to.event));
	(*to.event)[(*to.n)++] = event;
}

static void read_events(struct reader *r, struct list to)
{
	expect(r, '[', "'['");
	if (accept(r, ']'))
		return;
	do {
		uint32_t event = read_number(r, "an event number");
		if (r->rc == 0)
			add_event(r, to, event);
	} while (r->rc == 0 && accept(r, ','));
	expect(r, ']', "',' or ']'");
}

static struct list of_witness(struct reader *r)
{
	return (struct list){&r->w->event, &r->w->n, &r->cap};
}

static void read_array(struct reader *r)
{
	if (r->has_witness)
		fail(r, "a second \"witness\"");
	r->has_witness = true;
	read_events(r, of_witness(r));
}

/* The member that says what the witness is one of, if it is not one of a race. */
static void read_kind(struct reader *r, uint32_t **event, size_t *n)
{
	size_t cap = 0;
	if (r->w->request || r->w->unit || r->w->freed)
		fail(r, "a second \"deadlock\", \"atomicity\" or \"freed\"");
	else
		read_events(r, (struct list){event, n, &cap});
	if (!*event)
		fail(r, "\"deadlock\", \"atomicity\" or \"freed\" is empty");
}

/* One member of "prefix"; seen[t]: thread t had its own. */
static void read_prefix_member(struct reader *r, bool *seen)
{
	const struct snag_strtab *threads = &r->trace->names.space[SNAG_SPACE_THREAD];
	read_string(r, "the name of a thread");
	uint32_t thread = r->rc == 0 ? snag_strtab_find(threads, r->name, r->name_len) : SNAG_NO_ID;
	if (thread == SNAG_NO_ID)
		fail(r, "the trace has no thread '%.60s'", r->name);
	else if (seen[thread])
		fail(r, "thread '%.60s' twice", r->name);
	expect(r, ':', "':'");
	uint32_t n = read_number(r, "a number of events");
	if (r->rc == 0) {
		seen[thread] = true;
		r->w->prefix[thread] = n;
	}
}

static void read_prefix(struct reader *r)
{
	uint32_t nthreads = r->trace->names.space[SNAG_SPACE_THREAD].n;
	if (r->w->prefix) {
		fail(r, "a second \"prefix\"");
		return;
	}
	r->w->prefix = snag_calloc(nthreads, sizeof(*r->w->prefix));
	bool *seen = snag_calloc(nthreads, sizeof(*seen));
	expect(r, '{', "'{'");
	if (!accept(r, '}')) {
		do {
			read_prefix_member(r, seen);
		} while (r->rc == 0 && accept(r, ','));
		expect(r, '}', "',' or '}'");
	}
	free(seen);
}

static void read_object(struct reader *r)
{
	expect(r, '{', "'{'");
	if (!accept(r, '}')) {
		do {
			read_string(r, "a member name");
			expect(r, ':', "':'");
			if (r->rc < 0)
				return;
			if (strcmp(r->name, "witness") == 0)
				read_array(r);
			else if (strcmp(r->name, "prefix") == 0)
				read_prefix(r);
			else if (strcmp(r->name, "deadlock") == 0)
				read_kind(r, &r->w->request, &r->w->nrequests);
			else if (strcmp(r->name, "atomicity") == 0)
				read_kind(r, &r->w->unit, &r->w->nunit);
			else if (strcmp(r->name, "freed") == 0)
				read_kind(r, &r->w->freed, &r->w->nfreed);
			else
				skip_value(r, 0);
		} while (r->rc == 0 && accept(r, ','));
		expect(r, '}', "',' or '}'");
	}
	if (!r->has_witness)
		fail(r, "no \"witness\" in the object");
}

static void read_file(struct reader *r)
{
	int c = peek_past_space(r);
	if (c == '{') {
		read_object(r);
	} else if (c == '[') {
		read_array(r);
	} else if (is_digit(c)) {
		while (r->rc == 0 && is_digit(peek_past_space(r)))
			add_event(r, of_witness(r), read_number(r, "an event number"));
	} else {
		unexpected(r, "a witness: '{', '[' or event numbers");
	}
	if (peek_past_space(r) != END)
		unexpected(r, "the end of the file");
}

int snag_witness_read(const char *path, const struct snag_trace *trace,
		      struct snag_witness *ret_witness, struct snag_error *err)
{
	struct snag_witness w = {0};
	struct reader r = {.trace = trace, .w = &w, .line = 1, .err = err};
	int rc = snag_input_open(path, &r.in, err);
	if (rc < 0)
		return rc;
	r.name = snag_alloc(NAME_BYTES);
	read_file(&r);
	free(r.name);
	snag_input_close(r.in);
	if (r.rc < 0) {
		snag_witness_done(&w);
		return r.rc;
	}
	*ret_witness = w;
	return 0;
}
