/* SPDX-License-Identifier: Apache-2.0
 *
 * std_reader.c - reads RAPID's STD text
 *
 * Format.  One event a line, three fields: THREAD|OP(OPERAND)|LOCATION, such as
 *          `T3|w(V1234)|567`.  OP is r w acq rel fork join, or br begin end, whose
 *          operand may be absent and is ignored; and, beyond RAPID, racq rrel dep, and
 *          ar aw au fence, see text_op.h.  Names are any bytes but white
 *          space, NUL and `|`; threads, variables, locks and locations have their
 *          own name spaces.  There are no comments and no blank lines: anything
 *          else is an error with its line number, or skipped when lenient.
 *
 * Idea.    Two parsers.  line_fast takes well-formed lines, a word of 8 bytes at a
 *          time: tokens of fewer than 8 bytes are cut out of the word they were
 *          found in and looked up as that word, without a branch that depends on
 *          their length.  Whatever it does not take goes to std_parse, which
 *          takes every valid line, and has the words for the others.  Names are
 *          interned only when the whole line is good, so that a skipped line
 *          leaves nothing behind.
 *
 * Cost.    O(bytes); no allocation per event.
 */
#include "trace/formats.h"
#include "trace/text/text_source.h"

#include <string.h>

enum {
	GROUP = 16,	      /* lines parsed before their names are looked up, if... */
	MANY_SLOTS = 1 << 15, /* ...a table of names has more slots than this, 512 KB */
};

struct token {
	const char *s;
	size_t len;
	uint64_t word; /* the token itself if len < 8, see strtab.h */
};

/* A parsed line whose names are not interned yet. */
struct fields {
	struct token thread, operand, location;
	uint8_t op;
	uint8_t space; /* of the operand, SNAG_SPACE_NONE: there is none */
	uint8_t flags, size;
};

static inline uint32_t token_intern(struct snag_strtab *t, const struct token *token)
{
	if (__builtin_expect(token->len < 8, 1)) {
		uint32_t id = snag_strtab_find_word(t, token->word);
		if (__builtin_expect(id != SNAG_NO_ID, 1))
			return id;
	}
	return snag_strtab_intern(t, token->s, token->len);
}

static inline void event_make(struct snag_text_source *s, const struct fields *f,
			      struct snag_event *ev)
{
	struct snag_strtab *space = s->names.space;
	*ev = (struct snag_event){.op = f->op, .flags = f->flags, .size = f->size};
	ev->thread = token_intern(&space[SNAG_SPACE_THREAD], &f->thread);
	if (f->space != SNAG_SPACE_NONE)
		ev->target = token_intern(&space[f->space], &f->operand);
	ev->loc = token_intern(&space[SNAG_SPACE_LOCATION], &f->location);
}

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* In both, the lowest bit set is in the first byte that is looked for; higher ones
 * may be wrong, since the subtraction borrows. */
static inline uint64_t stop_bytes(uint64_t w) /* control characters, space, '|' */
{
	uint64_t bar = w ^ (ONES * '|');
	return (((w - ONES * 0x21) & ~w) | ((bar - ONES) & ~bar)) & HIGHS;
}

static inline uint64_t paren_bytes(uint64_t w)
{
	uint64_t paren = w ^ (ONES * '(');
	return (paren - ONES) & ~paren & HIGHS;
}

static inline size_t first_byte(uint64_t found)
{
	return (size_t)__builtin_ctzll(found) >> 3;
}

static inline uint64_t bytes_before(uint64_t w, uint64_t found)
{
	return w & (((found & -found) >> 7) - 1);
}

/* Operations by their letters, hashed without collision (the compiler would warn). */
#define LETTERS(a, b, c, d, e)                                                            \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | \
	 (uint64_t)(e) << 32)
#define OP_SLOT(letters) (((letters)*0xbb2edb20035b7399u) >> 60)
#define FAST_OP(op, space, ...) \
	[OP_SLOT(LETTERS(__VA_ARGS__))] = {LETTERS(__VA_ARGS__), SNAG_OP_##op, SNAG_SPACE_##space}

static const struct fast_op {
	uint64_t letters;
	uint8_t op, space;
} fast_ops[16] = {
	FAST_OP(READ, VARIABLE, 'r', 0, 0, 0, 0),     FAST_OP(WRITE, VARIABLE, 'w', 0, 0, 0, 0),
	FAST_OP(ACQUIRE, LOCK, 'a', 'c', 'q', 0, 0),  FAST_OP(RELEASE, LOCK, 'r', 'e', 'l', 0, 0),
	FAST_OP(FORK, THREAD, 'f', 'o', 'r', 'k', 0), FAST_OP(JOIN, THREAD, 'j', 'o', 'i', 'n', 0),
	FAST_OP(BRANCH, NONE, 'b', 'r', 0, 0, 0),     FAST_OP(BEGIN, NONE, 'b', 'e', 'g', 'i', 'n'),
	FAST_OP(END, NONE, 'e', 'n', 'd', 0, 0),
};

/* The token at p, up to the first control character, space or '|', which the end of
 * the line guarantees.  Returns its end. */
static inline const uint8_t *token_scan(const uint8_t *p, struct token *ret)
{
	uint64_t w = snag_strtab_load(p), stop = stop_bytes(w);
	ret->s = (const char *)p;
	if (__builtin_expect(stop != 0, 1)) {
		ret->len = first_byte(stop);
		ret->word = bytes_before(w, stop);
		return p + ret->len;
	}
	const uint8_t *q = p;
	do
		stop = stop_bytes(snag_strtab_load(q += 8));
	while (!stop);
	q += first_byte(stop);
	ret->len = (size_t)(q - p);
	ret->word = 0;
	return q;
}

/* The operand behind '(', which is followed by `)|`; returns the place of the `|`,
 * or NULL if it is not like that. */
static inline const uint8_t *operand_scan(const uint8_t *p, struct token *ret)
{
	const uint8_t *q = token_scan(p, ret);
	if (ret->len < 2 || q[-1] != ')')
		return NULL;
	ret->len--;
	if (ret->len < 7)
		ret->word ^= (uint64_t)')' << 8 * ret->len;
	else if (ret->len == 7)
		ret->word = snag_strtab_load(p) & ~(uint64_t)0 >> 8;
	return q;
}

/* Parses one line if it is an ordinary one.  Returns its end, or NULL. */
static inline const uint8_t *line_fast(const uint8_t *p, struct fields *f)
{
	p = token_scan(p, &f->thread);
	if (f->thread.len == 0 || *p++ != '|')
		return NULL;

	uint64_t w = snag_strtab_load(p), stop = stop_bytes(w) | paren_bytes(w);
	if (!stop)
		return NULL;
	uint64_t letters = bytes_before(w, stop);
	const struct fast_op *op = &fast_ops[OP_SLOT(letters)];
	if (op->letters != letters || letters == 0)
		return NULL;
	f->op = op->op;
	f->space = op->space;
	f->flags = f->size = 0;
	p += first_byte(stop);
	if (*p == '(') {
		p = operand_scan(p + 1, &f->operand);
		if (!p)
			return NULL;
	} else if (f->space != SNAG_SPACE_NONE) {
		return NULL;
	}
	if (*p++ != '|')
		return NULL;

	p = token_scan(p, &f->location);
	p += *p == '\r';
	return f->location.len > 0 && *p == '\n' ? p : NULL;
}

/* Parses up to `max` ordinary lines; returns how many, with *ret_p behind them. */
static inline size_t group_parse(const uint8_t **ret_p, const uint8_t *limit, struct fields *group,
				 size_t max)
{
	const uint8_t *p = *ret_p;
	size_t n = 0;
	while (n < max && p < limit) {
		const uint8_t *end = line_fast(p, &group[n]);
		if (__builtin_expect(!end || end - p > SNAG_LINE_BYTES, 0))
			break;
		p = end + 1;
		n++;
	}
	*ret_p = p;
	return n;
}

static inline void fields_prefetch(const struct snag_text_source *s, const struct fields *f)
{
	if (f->space != SNAG_SPACE_NONE)
		snag_strtab_prefetch_word(&s->names.space[f->space], f->operand.word);
	snag_strtab_prefetch_word(&s->names.space[SNAG_SPACE_LOCATION], f->location.word);
}

/* Takes lines in groups of `size`: parses them, sends for the slots of their names, then
 * looks the names up. */
static inline size_t groups_take(struct snag_text_source *s, size_t n, const size_t size)
{
	const uint8_t *p = s->lines.in->at;
	struct fields group[GROUP];
	size_t ngroup;
	do {
		size_t room = SNAG_BATCH_EVENTS - n;
		ngroup = group_parse(&p, s->lines.limit, group, room < size ? room : size);
		for (size_t i = 0; i < ngroup && size > 1; i++)
			fields_prefetch(s, &group[i]);
		for (size_t i = 0; i < ngroup; i++) {
			event_make(s, &group[i], &s->ev[n]);
			s->line[n++] = ++s->lines.line;
		}
	} while (ngroup == size);
	s->lines.in->at = p;
	return n;
}

/* Groups pay when the slots are not in the cache. */
static size_t std_run(struct snag_text_source *s, size_t n)
{
	const struct snag_strtab *space = s->names.space;
	bool many = space[SNAG_SPACE_VARIABLE].nslots > MANY_SLOTS ||
		    space[SNAG_SPACE_LOCATION].nslots > MANY_SLOTS;
	return many ? groups_take(s, n, GROUP) : groups_take(s, n, 1);
}

static struct token token_make(const char *s, size_t len)
{
	struct token token = {.s = s, .len = len};
	if (len < 8)
		for (size_t i = 0; i < len; i++)
			token.word |= (uint64_t)(unsigned char)s[i] << 8 * i;
	return token;
}

static int check_bytes(const char *s, size_t n, const struct snag_text_place *place,
		       struct snag_error *err)
{
	if (n == 0)
		return snag_fail(err, SNAG_EINPUT,
				 "%s:%llu: expected THREAD|OP(OPERAND)|LOCATION, got an empty line",
				 place->name, (unsigned long long)place->line);
	for (size_t i = 0; i < n; i++) {
		if (!s[i])
			return snag_text_fail(err, place, "a NUL byte in", s, n);
		if (snag_text_is_space((unsigned char)s[i]))
			return snag_text_fail(err, place, "white space in", s, n);
	}
	return 0;
}

/* The ends of the first two fields. */
static int fields_split(const char *s, size_t n, const struct snag_text_place *place,
			const char *bar[2], struct snag_error *err)
{
	size_t nbars = 0;
	for (const char *p = s; (p = memchr(p, '|', n - (size_t)(p - s))); p++)
		if (nbars++ < 2)
			bar[nbars - 1] = p;
	if (nbars == 2)
		return 0;
	if (nbars == 0)
		return snag_text_fail(err, place, "expected THREAD|OP(OPERAND)|LOCATION, got", s,
				      n);
	char quote[SNAG_TEXT_QUOTE];
	return snag_fail(err, SNAG_EINPUT,
			 "%s:%llu: expected 3 fields THREAD|OP(OPERAND)|LOCATION, got %zu in '%s'",
			 place->name, (unsigned long long)place->line, nbars + 1,
			 snag_text_quote(quote, s, n));
}

static int std_parse(struct snag_text_source *src, const char *s, size_t n,
		     const struct snag_text_place *place, struct snag_event *ret_ev,
		     struct snag_error *err)
{
	const char *bar[2] = {s, s};
	int rc = check_bytes(s, n, place, err);
	if (rc == 0)
		rc = fields_split(s, n, place, bar, err);
	if (rc < 0)
		return rc;
	if (bar[0] == s)
		return snag_text_fail(err, place, "THREAD is empty in", s, n);
	if (bar[1] + 1 == s + n)
		return snag_text_fail(err, place, "LOCATION is empty in", s, n);

	struct snag_text_op op;
	rc = snag_text_op_parse(bar[0] + 1, (size_t)(bar[1] - bar[0]) - 1, place, &op, err);
	if (rc < 0)
		return rc;
	struct fields f = {
		.op = (uint8_t)op.op,
		.flags = op.flags,
		.size = op.size,
		.space = (uint8_t)snag_op_info[op.op].space,
		.thread = token_make(s, (size_t)(bar[0] - s)),
		.operand = token_make(op.operand, op.len),
		.location = token_make(bar[1] + 1, (size_t)(s + n - bar[1]) - 1),
	};
	event_make(src, &f, ret_ev);
	return 0;
}

static const struct snag_text_format std_format = {
	.nbytes = sizeof(struct snag_text_source), .parse = std_parse, .run = std_run};

int snag_std_source(struct snag_input *in, const struct snag_source_options *options,
		    struct snag_source **ret_src, struct snag_error *err)
{
	*ret_src = snag_text_source_new(&std_format, in, options);
	return 0;
}

const struct snag_trace_format snag_format_std = {
	.name = "std", .source = snag_std_source, .sink = snag_std_sink};
