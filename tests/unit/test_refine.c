/* SPDX-License-Identifier: Apache-2.0
 *
 * test_refine.c - recorded traces of accesses that overlap in part, against their bytes
 *
 * Random programs of threads and locks access two cells in all sizes.  Their records go through the
 * converter to a file, which is refined as it is read.  The definition: the variables of a cell
 * where several threads have been are its atoms, the largest sets of bytes that every access
 * touches as a whole or not at all, each element of the first range there being one; each is called
 * after its first byte, and has exactly the accesses to its bytes.
 * And all detectors find the same pairs of accesses as in the trace that has an event for each
 * byte.
 */
#include "unit.h"

#include "detect/analyze/analyze.h"
#include "record/convert/convert.h"
#include "trace/sink.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELL = 8, BYTES = 16, THREADS = 4, LOCKS = 2, STEPS = 60, MAX = 64, LIVES = 8 };
enum { RECORDS = 4 * MAX + 4 * STEPS, BASE = 0x10000, PC = 0x1001 };

struct program {
	struct rt_record record[RECORDS];
	int nrecords;
	uint32_t thread[THREADS];	/* their ids */
	int running;			/* -1: nobody has yet */
	int holder[LOCKS];		/* -1: it is free */
	unsigned naccesses, life;	/* so far; every memory that began anew is another life */
	uint64_t byte[LIVES][BYTES];	/* a bit for each access to it */
	unsigned element[LIVES][BYTES]; /* which of its cell it is in, + 1; 0: none is known */
	unsigned who[LIVES][BYTES / CELL]; /* a bit for each thread there */
	unsigned life_of[MAX];
	bool has_atomics;
};

static uint64_t state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static void put(struct program *p, enum rt_op op, unsigned size, uint64_t addr, uint32_t loc,
		uint32_t arg)
{
	assert_true(p->nrecords < RECORDS);
	p->record[p->nrecords++] = (struct rt_record){.what = addr | (uint64_t)op << RT_OP_SHIFT |
							      (uint64_t)size << RT_SIZE_SHIFT,
						      .loc = loc,
						      .arg = arg};
}

/* A range of elements, which its cells have if nobody was there; 0: they are not known. */
static void elements_make(struct program *p, unsigned at, unsigned size, unsigned element)
{
	for (unsigned i = at; i < at + size && element; i++)
		if (!p->who[p->life][i / CELL])
			p->element[p->life][i] = i % CELL / element + 1;
}

static void access_make(struct program *p, int t)
{
	static const enum rt_op atomic[] = {RT_ATOMIC_READ, RT_ATOMIC_WRITE, RT_ATOMIC_UPDATE};
	static const unsigned elements[] = {0, 2, 4};
	bool is_write = below(2), is_range = below(8) == 0;
	unsigned at = below(BYTES), size = 1u << below(4);
	if (p->naccesses == MAX)
		return;
	unsigned number = p->naccesses++;
	if (is_range)
		size = 1 + below(BYTES - at);
	else if (at % CELL + size > CELL)
		at -= at % CELL + size - CELL;
	if (is_range) {
		unsigned element = elements[below(3)];
		elements_make(p, at, size, element);
		put(p, is_write ? RT_WRITE_RANGE : RT_READ_RANGE, element, BASE + at, number + 1,
		    size);
	} else if (p->has_atomics && below(4) == 0)
		put(p, atomic[below(3)], size, BASE + at, number + 1, below(SNAG_ORDERS));
	else
		put(p, is_write ? RT_WRITE : RT_READ, size, BASE + at, number + 1, 0);
	p->life_of[number] = p->life;
	for (unsigned i = at; i < at + size; i++) {
		p->byte[p->life][i] |= UINT64_C(1) << number;
		p->who[p->life][i / CELL] |= 1u << t;
	}
}

static void lock_step(struct program *p, int t)
{
	int lock = (int)below(LOCKS);
	if (p->holder[lock] == t) {
		put(p, RT_RELEASE, 0, BASE + 0x1000 + (unsigned)lock * 8, MAX + 1, (uint32_t)lock);
		p->holder[lock] = -1;
	} else if (p->holder[lock] < 0) {
		put(p, RT_ACQUIRE, 0, BASE + 0x1000 + (unsigned)lock * 8, MAX + 1, (uint32_t)lock);
		p->holder[lock] = t;
	}
}

static void program_make(struct program *p, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	state = seed;
	p->has_atomics = below(4) == 0;
	unsigned apart = below(4) ? 1 : 256; /* some threads have the same low bits */
	for (uint32_t i = 1; i <= MAX + 1; i++)
		put(p, RT_NODE, 0, PC + i * 16, 0, i);
	put(p, RT_SWITCH, 0, 0, 0, 0);
	for (unsigned t = 1; t < THREADS; t++) {
		p->thread[t] = (t - 1) * apart + 1;
		put(p, RT_FORK, 0, 0, MAX + 1, p->thread[t]);
	}
	memset(p->holder, -1, sizeof(p->holder));
	unsigned likely = 2 + below(12); /* that a thread goes on */
	for (unsigned i = 0, t = 0; i < STEPS; i++) {
		if (below(likely) == 0)
			put(p, RT_SWITCH, 0, 0, 0, p->thread[t = below(THREADS)]);
		if (below(4) == 0)
			lock_step(p, (int)t);
		else
			access_make(p, (int)t);
		if (below(40) == 0 && p->life + 1 < LIVES) {
			put(p, RT_FORGET, 1, BASE, 0, BYTES);
			p->life++;
		}
	}
}

static void batch_write(struct snag_sink *const sink[2], struct snag_convert *c)
{
	struct snag_error err;
	struct snag_batch batch;
	if (snag_convert_take(c, &batch))
		for (int i = 0; i < 2; i++)
			assert_int_equal(
				snag_sink_write(sink[i], &batch, snag_convert_names(c), &err), 0);
}

/* What the recorder does: to a file without splits, and to one with them. */
static void program_record(const struct program *p, const char *whole, const char *refined)
{
	struct snag_convert *c =
		snag_convert_new(&(struct snag_convert_options){.is_for_sink = true});
	const struct snag_split *split;
	struct snag_error err;
	struct snag_sink *sink[2];
	snag_convert_take_runs(c);
	assert_int_equal(snag_sink_open(whole, 0, &sink[0], &err), 0);
	assert_int_equal(snag_sink_open(refined, 0, &sink[1], &err), 0);
	assert_true(snag_sink_expect_splits(sink[1]));
	for (int at = 0; at < p->nrecords || !snag_convert_is_done(c);) {
		int some = 1 + (int)below(20);
		some = some < p->nrecords - at ? some : p->nrecords - at;
		at += snag_convert_records(c, p->record + at, some);
		if (below(3) == 0)
			batch_write(sink, c);
	}
	batch_write(sink, c);
	size_t n = snag_splits_reported(snag_convert_splits(c), &split);
	assert_int_equal(snag_sink_put_splits(sink[1], split, n, snag_convert_names(c), &err), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(snag_sink_commit(sink[i], &err), 0);
	snag_convert_free(c);
}

static bool is_of_variable(const struct snag_event *ev)
{
	return snag_op_info[ev->op].space == SNAG_SPACE_VARIABLE;
}

/* The byte that a variable is called after: an address, or a place in what began anew. */
static unsigned first_byte(const struct snag_trace *trace, uint32_t variable)
{
	const char *name = snag_name(&trace->names, SNAG_SPACE_VARIABLE, variable);
	const char *plus = strrchr(name, '+');
	unsigned long at = name[0] == '0' ? strtoul(name, NULL, 16) - BASE
			   : plus	  ? strtoul(plus + 1, NULL, 16)
					  : 0;
	assert_in_range(at, 0, BYTES - 1);
	return (unsigned)at;
}

static bool is_shared(const struct program *p, unsigned life, unsigned byte)
{
	unsigned who = p->who[life][byte / CELL];
	return who & (who - 1);
}

/* The variables are the atoms.  Returns the accesses to each, to be freed. */
static uint64_t *atoms_check(const struct program *p, const struct snag_trace *trace)
{
	uint32_t n = trace->names.space[SNAG_SPACE_VARIABLE].n;
	uint64_t *of = calloc(n, sizeof(*of));
	unsigned life, found[LIVES][BYTES] = {{0}};
	for (size_t i = 0; i < trace->n; i++) {
		const struct snag_event *ev = &trace->ev[i];
		if (!is_of_variable(ev))
			continue;
		assert_true(ev->loc < MAX);
		assert_false(of[ev->target] >> ev->loc & 1); /* one event for each */
		of[ev->target] |= UINT64_C(1) << ev->loc;
	}
	for (uint32_t v = 0; v < n; v++) {
		unsigned b = first_byte(trace, v);
		if (!of[v])
			continue; /* a part that one thread made, and left */
		life = p->life_of[__builtin_ctzll(of[v])];
		if (!is_shared(p, life, b))
			continue;
		assert_int_equal(of[v], p->byte[life][b]);
		found[life][b]++;
	}
	for (life = 0; life < LIVES; life++)
		for (unsigned b = 0; b < BYTES; b++) {
			bool is_first = p->byte[life][b] != 0;
			for (unsigned k = b - b % CELL; k < b; k++)
				is_first &= p->byte[life][k] != p->byte[life][b] ||
					    p->element[life][k] != p->element[life][b];
			if (is_shared(p, life, b))
				assert_int_equal(found[life][b], is_first);
		}
	return of;
}

/* The trace with an event for each byte. */
static void bytes_trace(const struct program *p, const struct snag_trace *from, const uint64_t *of,
			struct snag_trace *to)
{
	snag_trace_init(to);
	for (uint32_t loc = 0; loc < from->names.space[SNAG_SPACE_LOCATION].n; loc++) {
		const char *name = snag_name(&from->names, SNAG_SPACE_LOCATION, loc);
		snag_strtab_intern(&to->names.space[SNAG_SPACE_LOCATION], name, strlen(name));
	}
	for (size_t i = 0; i < from->n; i++) {
		const struct snag_event *ev = &from->ev[i];
		enum snag_space space = snag_op_info[ev->op].space;
		const char *thread = snag_name(&from->names, SNAG_SPACE_THREAD, ev->thread);
		const char *loc = snag_name(&from->names, SNAG_SPACE_LOCATION, ev->loc);
		const char *name =
			space == SNAG_SPACE_NONE ? "" : snag_name(&from->names, space, ev->target);
		unsigned life = is_of_variable(ev) ? p->life_of[ev->loc] : 0;
		unsigned at = is_of_variable(ev) ? first_byte(from, ev->target) : 0;
		bool is_atom = is_of_variable(ev) && is_shared(p, life, at);
		for (unsigned b = at; b < (is_atom ? at - at % CELL + CELL : at + 1); b++) {
			char byte[32];
			snprintf(byte, sizeof(byte), "%u.%u", life, b);
			if (is_atom && (p->byte[life][b] != of[ev->target] ||
					p->element[life][b] != p->element[life][at]))
				continue;
			snag_trace_add(to, thread, ev->op, is_atom ? byte : name, loc);
			to->ev[to->n - 1].flags = ev->flags;
		}
	}
}

static const char *const detectors[] = {"hb", "shb", "wcp", "dc", "sdp", "wdp", "m2", "mixed"};
enum { DETECTORS = sizeof(detectors) / sizeof(detectors[0]) };

/* By detector and two accesses: 1 + the verdict on them; 0: no race. */
struct races {
	uint8_t pair[DETECTORS][MAX][MAX];
};

static void races_find(const struct snag_trace *trace, bool has_atomics, struct races *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (int d = 0; d < DETECTORS; d++) {
		struct snag_analyze_options options = {
			.detector = {snag_detector_find(detectors[d], strlen(detectors[d]))},
			.ndetectors = 1,
			.pairs = true,
			.jobs = 1};
		struct snag_source *src = snag_wellformed_source(
			snag_trace_source(trace), &(struct snag_source_options){.lenient = true});
		struct snag_analysis a;
		struct snag_error err;
		if (has_atomics && !(options.detector[0]->ops & SNAG_OPS_OF_ATOMICS)) {
			snag_source_close(src);
			continue;
		}
		assert_int_equal(snag_analyze(src, &options, &a, &err), 0);
		for (size_t i = 0; i < a.findings[0].nraces; i++) {
			const struct snag_race *r = &a.findings[0].race[i];
			uint8_t *at = &ret->pair[d][r->first.loc][r->second.loc];
			if (*at == 0 || r->verdict + 1u < *at)
				*at = (uint8_t)(r->verdict + 1);
		}
		snag_analysis_done(&a);
		snag_source_close(src);
	}
}

static unsigned races_count(const struct races *r)
{
	unsigned n = 0;
	for (size_t i = 0; i < sizeof(r->pair); i++)
		n += ((const uint8_t *)r->pair)[i] != 0;
	return n;
}

static void refined_traces_have_the_races_of_bytes(void **unused)
{
	enum { PROGRAMS = 100 };
	static struct races whole, refined, bytes;
	static struct program p;
	unsigned lost = 0, atomics = 0, names = 0;
	char folder[] = "/tmp/snag-refine-XXXXXX", path[2][64];
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < 2; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%d.snag", folder, i);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct snag_trace trace[3];
		struct snag_error err;
		program_make(&p, seed);
		program_record(&p, path[0], path[1]);
		for (int i = 0; i < 2; i++) {
			snag_trace_init(&trace[i]);
			assert_int_equal(snag_trace_load_file(&trace[i], path[i], NULL, &err), 0);
		}
		uint64_t *of = atoms_check(&p, &trace[1]);
		bytes_trace(&p, &trace[1], of, &trace[2]);
		races_find(&trace[0], p.has_atomics, &whole);
		races_find(&trace[1], p.has_atomics, &refined);
		races_find(&trace[2], p.has_atomics, &bytes);
		if (memcmp(&refined, &bytes, sizeof(bytes)) != 0)
			fail_msg("program %d: other races than those of bytes", (int)seed);
		lost += races_count(&whole) < races_count(&refined);
		atomics += p.has_atomics;
		names += p.thread[THREADS - 1] > UINT8_MAX;
		free(of);
		for (int i = 0; i < 3; i++)
			snag_trace_done(&trace[i]);
	}
	assert_in_range(lost, PROGRAMS / 2, PROGRAMS); /* there was something to be found */
	assert_in_range(atomics, PROGRAMS / 8, PROGRAMS / 2);
	assert_in_range(names, PROGRAMS / 8, PROGRAMS / 2);
	unlink(path[0]);
	unlink(path[1]);
	rmdir(folder);
}

/* Memory that one thread uses again and again, in words and then in bytes, costs no more for that;
 * and what another thread meets is still known. */
static void lost_splits_are_forgotten(void **unused)
{
	enum { TIMES = 20000 };
	static struct program p;
	struct snag_convert *c = snag_convert_new(&(struct snag_convert_options){0});
	const struct snag_splits *splits = snag_convert_splits(c);
	struct snag_batch batch;
	for (unsigned i = 0; i < TIMES; i++) {
		memset(&p, 0, sizeof(p));
		put(&p, RT_SWITCH, 0, 0, 0, 1);
		put(&p, RT_FORGET, 1, BASE, 0, BYTES);
		put(&p, RT_WRITE, 8, BASE, 0, 0);
		put(&p, RT_WRITE, 1, BASE + 3, 0, 0);
		put(&p, RT_WRITE, 2, BASE + 6, 0, 0);
		if (i % 1000 == 0) {
			put(&p, RT_SWITCH, 0, 0, 0, 2);
			put(&p, RT_READ, 4, BASE + 4, 0, 0);
		}
		assert_int_equal(snag_convert_records(c, p.record, p.nrecords), p.nrecords);
		snag_convert_take(c, &batch);
		assert_in_range(splits->n, 1, 5000);
	}
	unsigned matter = 0;
	for (size_t i = 0; i < splits->n; i++)
		matter += splits->at[i].matters;
	assert_int_equal(matter, TIMES / 1000 * 3);
	snag_convert_free(c);
}

/* An array that is set as a whole and used by element is never split. */
static void elements_are_not_split(void **unused)
{
	static struct program p;
	struct snag_convert *c = snag_convert_new(&(struct snag_convert_options){0});
	struct snag_batch batch;
	put(&p, RT_SWITCH, 0, 0, 0, 1);
	put(&p, RT_WRITE_RANGE, 4, BASE + 4, 0, BYTES - 4);
	put(&p, RT_SWITCH, 0, 0, 0, 2);
	for (unsigned at = 4; at < BYTES; at += 4)
		put(&p, RT_WRITE, 4, BASE + at, 0, 0);
	put(&p, RT_READ, 4, BASE, 0, 0);
	put(&p, RT_READ_RANGE, 0, BASE, 0, BYTES);
	assert_int_equal(snag_convert_records(c, p.record, p.nrecords), p.nrecords);
	assert_true(snag_convert_take(c, &batch));
	assert_int_equal(batch.n, 3 + 3 + 1 + 4);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(batch.ev[i].target, batch.ev[3 + i].target);
		assert_int_equal(batch.ev[i].target, batch.ev[8 + i].target);
	}
	assert_int_equal(batch.ev[6].target, batch.ev[7].target);
	assert_int_equal(snag_convert_splits(c)->n, 0);
	snag_convert_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refined_traces_have_the_races_of_bytes),
		cmocka_unit_test(lost_splits_are_forgotten),
		cmocka_unit_test(elements_are_not_split),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
