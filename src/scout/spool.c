/* SPDX-License-Identifier: Apache-2.0
 *
 * spool.c - the records of a run, in a file without a name, to be read again once
 */
#include "scout/spool.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	CONTEXTS_LOG = 14,
	BUFFER = 1 << 18,
	LONGEST = 24, /* a record takes less */
	FOLLOWS = 0,
	NUMBERED = 1,
	NEW = 2,
};

static const uint64_t LAP = UINT64_C(1) << RT_LAP_SHIFT;

struct context {
	struct rt_record last;
	uint64_t what_step;
	uint32_t arg_step;
	uint32_t next; /* the context that followed */
};

struct snag_spool {
	struct context context[1 << CONTEXTS_LOG];
	uint32_t now; /* the context of the last record */
	int fd;
	/* Where the file is written or read next; a copy of the process has its own. */
	off_t file_at;
	uint64_t limit;	     /* bytes; 0: none */
	bool is_full;	     /* nothing more is added */
	char *folder, *text; /* where it lies; why it is full */
	size_t at, n;
	uint8_t buffer[BUFFER + LONGEST];
};

int snag_spool_new(const char *folder, uint64_t limit, struct snag_spool **ret_spool,
		   struct snag_error *err)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) { /* not all file systems have files without a name */
		char path[4096 + 16];
		snprintf(path, sizeof(path), "%.4096s/spool.XXXXXX", folder);
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		return snag_fail(err, SNAG_EINTERNAL, "%s: %s", folder, strerror(errno));
	struct snag_spool *s = snag_calloc(1, sizeof(*s));
	s->fd = fd;
	s->limit = limit;
	s->folder = snag_strdup(folder);
	*ret_spool = s;
	return 0;
}

void snag_spool_free(struct snag_spool *s)
{
	if (!s)
		return;
	close(s->fd);
	free(s->folder);
	free(s->text);
	free(s);
}

void snag_spool_close(struct snag_spool *s, const char *why)
{
	s->is_full = true;
	if (!s->text && asprintf(&s->text, "%s: %s", s->folder, why) < 0)
		snag_out_of_memory();
}

const char *snag_spool_error(struct snag_spool *s)
{
	return s->text;
}

static void buffer_write(struct snag_spool *s)
{
	for (size_t done = 0; done < s->at && !s->is_full;) {
		ssize_t n = pwrite(s->fd, s->buffer + done, s->at - done, s->file_at);
		if (n < 0 && errno != EINTR)
			snag_spool_close(s, strerror(errno));
		done += n > 0 ? (size_t)n : 0;
		s->file_at += n > 0 ? n : 0;
	}
	s->at = 0;
}

static inline uint32_t context_of(const struct rt_record *r)
{
	uint64_t key = (uint64_t)r->loc << 16 | r->what >> RT_OP_SHIFT;
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CONTEXTS_LOG));
}

/* How many bytes a signed difference takes, as the first byte of a record says it. */
static inline unsigned bytes_of(uint64_t d)
{
	uint64_t size = (d ^ (uint64_t)((int64_t)d >> 63)) << 1;
	unsigned n = (unsigned)(64 - __builtin_clzll(size | 1) + 7) / 8;
	return n < 7 ? n : 7;
}

static inline unsigned length_of(unsigned n)
{
	return n < 7 ? n : 8;
}

static inline uint8_t *difference_put(uint8_t *p, uint64_t d, unsigned n)
{
	memcpy(p, &d, sizeof(d));
	return p + length_of(n);
}

static inline const uint8_t *difference_take(const uint8_t *p, unsigned n, uint64_t *ret_d)
{
	uint64_t d;
	const unsigned unused = 64 - 8 * length_of(n);
	memcpy(&d, p, sizeof(d));
	*ret_d = (uint64_t)((int64_t)(d << unused) >> unused);
	return p + length_of(n);
}

static inline void record_put(struct snag_spool *s, struct rt_record r)
{
	r.what &= ~LAP;
	const uint32_t number = context_of(&r);
	struct context *c = &s->context[number], *before = &s->context[s->now];
	uint8_t *p = s->buffer + s->at, *first = p++;
	const bool is_new =
		c->last.loc != r.loc || c->last.what >> RT_OP_SHIFT != r.what >> RT_OP_SHIFT;
	unsigned how = is_new ? NEW : before->next == number ? FOLLOWS : NUMBERED;
	before->next = number;
	s->now = number;
	*first = (uint8_t)how;
	if (is_new) {
		memcpy(p, &r, sizeof(r));
		p += sizeof(r);
		c->what_step = 0;
		c->arg_step = 0;
	} else {
		uint64_t what_step = r.what - c->last.what;
		uint32_t arg_step = r.arg - c->last.arg;
		if (how == NUMBERED) {
			const uint16_t n = (uint16_t)number;
			memcpy(p, &n, sizeof(n));
			p += sizeof(n);
		}
		if (what_step != c->what_step) {
			unsigned n = bytes_of(what_step);
			*first |= (uint8_t)(n << 2);
			p = difference_put(p, what_step, n);
		}
		if (arg_step != c->arg_step) {
			uint64_t d = (uint64_t)(int64_t)(int32_t)arg_step;
			unsigned n = bytes_of(d);
			*first |= (uint8_t)(n << 5);
			p = difference_put(p, d, n);
		}
		c->what_step = what_step;
		c->arg_step = arg_step;
	}
	c->last = r;
	s->at = (size_t)(p - s->buffer);
}

/* Empties the buffer; returns whether more can be written. */
static bool has_room(struct snag_spool *s)
{
	buffer_write(s);
	if (s->limit && (uint64_t)s->file_at >= s->limit)
		snag_spool_close(s, "the records of the run reach the limit of --disk");
	return !s->is_full;
}

void snag_spool_put(struct snag_spool *s, const struct rt_record *r, int n)
{
	if (s->is_full)
		return;
	for (int i = 0; i < n; i++) {
		record_put(s, r[i]);
		if (s->at > BUFFER - LONGEST && !has_room(s))
			return;
	}
}

void snag_spool_rewind(struct snag_spool *s)
{
	buffer_write(s);
	s->file_at = 0;
	memset(s->context, 0, sizeof(s->context));
	s->now = 0;
	s->at = s->n = 0;
}

/* Makes the bytes of a record available, if there are any.  If the file was cut short, the last
 * record can lack some. */
static bool buffer_read(struct snag_spool *s)
{
	if (s->n - s->at >= LONGEST)
		return true;
	memmove(s->buffer, s->buffer + s->at, s->n - s->at);
	s->n -= s->at;
	s->at = 0;
	while (s->n < LONGEST) {
		ssize_t n = pread(s->fd, s->buffer + s->n, BUFFER - s->n, s->file_at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			snag_spool_close(s, strerror(errno));
		if (n <= 0)
			break;
		s->n += (size_t)n;
		s->file_at += n;
	}
	return s->n > s->at;
}

static inline struct rt_record record_take(struct snag_spool *s)
{
	const uint8_t *p = s->buffer + s->at, first = *p++;
	struct context *before = &s->context[s->now];
	if ((first & 3) == NEW) {
		struct rt_record r;
		memcpy(&r, p, sizeof(r));
		const uint32_t number = context_of(&r);
		before->next = number;
		s->now = number;
		s->context[number].last = r;
		s->context[number].what_step = 0;
		s->context[number].arg_step = 0;
		s->at += 1 + sizeof(r);
		return r;
	}
	uint32_t number = before->next;
	if ((first & 3) == NUMBERED) {
		uint16_t n;
		memcpy(&n, p, sizeof(n));
		p += sizeof(n);
		number = n & ((1u << CONTEXTS_LOG) - 1);
	}
	before->next = number;
	s->now = number;
	struct context *c = &s->context[number];
	uint64_t d;
	if (first >> 2 & 7) {
		p = difference_take(p, first >> 2 & 7, &d);
		c->what_step = d;
	}
	if (first >> 5) {
		p = difference_take(p, first >> 5, &d);
		c->arg_step = (uint32_t)d;
	}
	c->last.what += c->what_step;
	c->last.arg += c->arg_step;
	s->at = (size_t)(p - s->buffer);
	return c->last;
}

int snag_spool_next(struct snag_spool *s, struct rt_record *ret_record, int room)
{
	int n = 0;
	while (n < room && buffer_read(s)) {
		ret_record[n] = record_take(s);
		if (s->at > s->n) { /* its last bytes could not be written */
			s->at = s->n;
			break;
		}
		n++;
	}
	return n;
}
