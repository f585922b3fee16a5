/* SPDX-License-Identifier: Apache-2.0
 *
 * test_own.c - private memory of OpenMP threads: the model against a naive one, and its rules one
 * by one
 *
 * The naive model keeps lists and searches them from the front.  It has no hulls, no sorted table,
 * no cached stack, no hashed set and no notes of stores: it applies each rule of own/own.h as it
 * stands there.  Random sequences of facts go to both; answers and doubts must be the same after
 * each.
 */
#include "unit.h"

#include "own/own.h"

#include <stdlib.h>
#include <string.h>

enum {
	CONTEXTS = 5, /* the last two run explicit tasks, and own nothing of their own accord */
	TASKS = 2,
	STACK_WORDS = 12,
	HEAP_WORDS = 24,
	GLOBAL_WORDS = 8,
	WORDS = CONTEXTS * STACK_WORDS + HEAP_WORDS + GLOBAL_WORDS,
	MOST_BLOCKS = 64,
	MOST_NESTED = 4,
	SEQUENCES = 8000,
	STEPS = 300,
};

static uintptr_t room[16 * WORDS];
static uintptr_t *memory; /* WORDS of them, each with a bit of its own */
static unsigned doubts;

static void doubt(void)
{
	doubts++;
}

static void *grow(void *p, size_t old, size_t nbytes)
{
	char *grown = calloc(1, nbytes);
	assert_non_null(grown);
	if (old)
		memcpy(grown, p, old);
	free(p);
	return grown;
}

static uint64_t seed;
static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed >> 20) % n);
}

/* Sets of touched words are hashed: chooses memory in which no two words have the same bit. */
static void memory_choose(void)
{
	for (size_t from = 0; from + WORDS <= sizeof(room) / sizeof(*room); from++) {
		static bool is_used[OWN_BITS];
		memset(is_used, 0, sizeof(is_used));
		size_t i = 0;
		while (i < WORDS && !is_used[own_bit((uintptr_t)&room[from + i])])
			is_used[own_bit((uintptr_t)&room[from + i++])] = true;
		if (i == WORDS) {
			memory = &room[from];
			return;
		}
	}
	fail_msg("no such memory");
}

struct naive_block {
	bool is_there, is_copy, is_lent;
	uintptr_t at, end;
	int owner;
	uint32_t implicit, unreported_in;
};

struct naive_task {
	uint32_t implicit;
	uintptr_t low, high;
	enum own_mode mode;
	bool has_escaped, is_lent, is_watched;
	uint32_t phase; /* its last */
	uint32_t unreported_in;
	uint32_t touched_in[WORDS]; /* the last phase in which another context was there */
};

static struct {
	struct naive_block block[MOST_BLOCKS];
	struct naive_task task[CONTEXTS][MOST_NESTED];
	int ntasks[CONTEXTS];
	enum own_mode last_mode[CONTEXTS]; /* that it had in the last of its tasks */
	uint32_t phase[CONTEXTS];
	bool has_doubt;
} naive;

static size_t word_of(uintptr_t addr)
{
	return (addr - (uintptr_t)memory) / OWN_WORD;
}

static struct naive_task *task_of(int c)
{
	return naive.ntasks[c] ? &naive.task[c][naive.ntasks[c] - 1] : NULL;
}

static uint32_t implicit_of(int c)
{
	return naive.ntasks[c] ? task_of(c)->implicit : 0;
}

static enum own_mode mode_of(int c)
{
	return naive.ntasks[c] ? task_of(c)->mode : naive.last_mode[c];
}

static bool is_in(uintptr_t addr, uintptr_t low, uintptr_t high)
{
	return addr >= low && addr < high;
}

static bool is_on_stack(int c, uintptr_t addr)
{
	return naive.ntasks[c] && is_in(addr, task_of(c)->low, task_of(c)->high);
}

static struct naive_block *block_at(uintptr_t addr)
{
	for (int i = 0; i < MOST_BLOCKS; i++)
		if (naive.block[i].is_there && is_in(addr, naive.block[i].at, naive.block[i].end))
			return &naive.block[i];
	return NULL;
}

static struct naive_block *owned_at(uintptr_t addr)
{
	struct naive_block *b = block_at(addr);
	return b && !b->is_copy ? b : NULL;
}

/* Whether an address is in memory of an implicit task of that context. */
static bool is_of(int c, uint32_t implicit, uintptr_t addr)
{
	const struct naive_block *b = owned_at(addr);
	for (int i = 0; i < naive.ntasks[c]; i++)
		if (naive.task[c][i].implicit == implicit &&
		    is_in(addr, naive.task[c][i].low, naive.task[c][i].high))
			return true;
	return b && b->implicit == implicit;
}

static void stack_escapes(int c)
{
	struct naive_task *t = task_of(c);
	naive.has_doubt |= !t->has_escaped && t->unreported_in == naive.phase[c];
	t->has_escaped = true;
}

static void block_shared(struct naive_block *b)
{
	b->is_there = false;
	for (uintptr_t at = (b->at + OWN_WORD - 1) / OWN_WORD * OWN_WORD; at + OWN_WORD <= b->end;
	     at += OWN_WORD) {
		uintptr_t value = *(uintptr_t *)at;
		if (implicit_of(b->owner) == b->implicit && is_on_stack(b->owner, value))
			stack_escapes(b->owner);
		if (owned_at(value))
			block_shared(owned_at(value));
	}
}

static void naive_block_escapes(uintptr_t value, uintptr_t at)
{
	struct naive_block *b = owned_at(value);
	if (b && !is_of(b->owner, b->implicit, at))
		block_shared(b);
}

static void naive_store(int c, uintptr_t at)
{
	uintptr_t value = *(uintptr_t *)at;
	const struct naive_block *b = owned_at(at);
	if (is_on_stack(c, value) && !(b && b->implicit == implicit_of(c)))
		stack_escapes(c);
	naive_block_escapes(value, at);
}

static void naive_add(struct naive_block block)
{
	struct naive_block *b = naive.block;
	for (int i = 0; i < MOST_BLOCKS; i++)
		if (b[i].is_there && b[i].at < block.end && b[i].end > block.at)
			b[i].is_there = false;
	while (b->is_there)
		b++;
	block.is_there = true;
	*b = block;
}

static bool naive_found(struct naive_block *b, int c)
{
	bool lends = mode_of(b->owner) & OWN_LENDS;
	if (lends && implicit_of(c) == 0 && implicit_of(b->owner) == b->implicit) {
		b->is_lent = true;
		return true;
	}
	naive.has_doubt |= !lends && b->unreported_in && b->unreported_in == naive.phase[b->owner];
	b->is_there = false;
	return false;
}

static enum own_answer naive_of(int c, uintptr_t addr)
{
	struct naive_task *t = task_of(c);
	struct naive_block *b = block_at(addr);
	bool is_segment = t && t->mode == OWN_SEGMENT;
	if (is_segment && is_on_stack(c, addr))
		return t->is_watched && t->touched_in[word_of(addr)] == naive.phase[c] ? OWN_DOUBT
										       : OWN_SKIP;
	if (b && b->is_copy)
		return OWN_SKIP;
	if (b && b->owner != c) {
		naive_found(b, c);
	} else if (b && is_segment && b->implicit == t->implicit) {
		b->unreported_in = naive.phase[c];
		return OWN_SKIP;
	}
	for (int i = 0; i < CONTEXTS; i++) {
		struct naive_task *s = task_of(i);
		if (i == c || !s || !s->is_lent || s->has_escaped || !is_on_stack(i, addr))
			continue;
		s->touched_in[word_of(addr)] = naive.phase[i];
		naive.has_doubt |= s->unreported_in == naive.phase[i] && !(s->mode & OWN_LENDS);
	}
	return OWN_TELL;
}

static void naive_segment(int c, bool has_loans)
{
	struct naive_task *t = task_of(c);
	for (int i = 0; i < MOST_BLOCKS; i++) {
		struct naive_block *b = &naive.block[i];
		if (!b->is_there || b->is_copy || b->owner != c || b->implicit != t->implicit ||
		    !b->is_lent)
			continue;
		b->is_lent = false;
		b->is_there = !has_loans;
	}
	bool was_touched = false;
	for (size_t i = 0; i < WORDS; i++)
		was_touched |= t->touched_in[i] == naive.phase[c];
	t->mode = OWN_SEGMENT;
	t->unreported_in = naive.phase[c];
	t->is_watched = has_loans && t->is_lent && !t->has_escaped && was_touched;
	naive.has_doubt |= t->has_escaped;
}

static bool naive_task(int c, uintptr_t at, uintptr_t end)
{
	bool has_own = false;
	for (; at < end; at += OWN_WORD) {
		uintptr_t value = *(uintptr_t *)at;
		struct naive_block *b = owned_at(value);
		if (is_on_stack(c, value))
			has_own = task_of(c)->is_lent = true;
		if (b && !b->is_lent && (b->owner != c || b->implicit != implicit_of(c)))
			naive_block_escapes(value, at);
		else if (b)
			has_own = b->is_lent = true;
	}
	return has_own;
}

/* Number 0: it leaves all. */
static void naive_phase(int c, uint32_t number, uint32_t phase, uintptr_t low, uintptr_t high)
{
	int n = 0;
	while (n < naive.ntasks[c] && naive.task[c][n].implicit != number)
		n++;
	if (number == 0) {
		naive.last_mode[c] = mode_of(c);
		naive.ntasks[c] = 0;
		return;
	}
	naive.phase[c] = phase;
	if (n < naive.ntasks[c]) {
		naive.ntasks[c] = n + 1;
		naive.task[c][n].phase = phase;
		naive.task[c][n].is_watched = false;
		return;
	}
	naive.task[c][n] =
		(struct naive_task){.implicit = number, .low = low, .high = high, .phase = phase};
	naive.ntasks[c]++;
}

static void naive_launch(void)
{
	for (int i = 0; i < MOST_BLOCKS; i++)
		naive.block[i].is_there &= naive.block[i].is_copy;
	for (int c = 0; c < CONTEXTS; c++)
		for (int i = 0; i < naive.ntasks[c]; i++)
			naive.task[c][i].is_lent = naive.task[c][i].has_escaped = false;
}

static struct own own;
static struct own_context context[CONTEXTS];
static uint32_t numbers, phases;

static void begin(void)
{
	for (uint32_t i = 1; i <= own.nstacks; i++)
		free(own.stacks[i].touched);
	free(own.stacks);
	free(own.stores.span);
	memset(&own, 0, sizeof(own));
	memset(&naive, 0, sizeof(naive));
	memset(context, 0, sizeof(context));
	memset(memory, 0, WORDS * sizeof(*memory));
	own.doubt = doubt;
	own.grow = grow;
	doubts = numbers = phases = 0;
}

static uintptr_t any_word(void)
{
	return (uintptr_t)&memory[below(WORDS)];
}

static int any_owner(void)
{
	return (int)below(CONTEXTS - TASKS);
}

static uintptr_t stack_low(int c)
{
	return (uintptr_t)&memory[c * STACK_WORDS];
}

/* Often an address on the stack of an owner. */
static uintptr_t any_value(void)
{
	if (below(3) == 0)
		return stack_low(any_owner());
	return below(4) ? any_word() : below(2) ? any_word() + below(8) : 1;
}

static uintptr_t heap(unsigned word)
{
	return (uintptr_t)&memory[CONTEXTS * STACK_WORDS + word];
}

static void step_phase(int c)
{
	int nested = naive.ntasks[c];
	unsigned what = below(8) % 6 % 4;
	uintptr_t low = stack_low(c), high = low + (size_t)(STACK_WORDS - 3 * nested) * OWN_WORD;
	uint32_t number = 0, phase = 0;
	if (what == 0 && nested < MOST_NESTED) { /* a region begins */
		number = ++numbers;
		phase = ++phases;
	} else if (what == 1 && nested) { /* a barrier */
		number = implicit_of(c);
		phase = ++phases;
		high = task_of(c)->high;
	} else if (what == 2 && nested > 1) { /* a region inside ends */
		number = naive.task[c][nested - 2].implicit;
		high = naive.task[c][nested - 2].high;
		phase = naive.task[c][nested - 2].phase;
	} else if (nested == 0) {
		return;
	}
	own_phase(&own, &context[c],
		  (struct own_phase){number, phase, number ? low : 0, number ? high : 0});
	naive_phase(c, number, phase, low, high);
}

static void step_mode(int c)
{
	unsigned what = below(4);
	if (!naive.ntasks[c])
		return;
	if (what < 2) {
		bool has_loans = below(2);
		own_segment(&own, &context[c], has_loans);
		naive_segment(c, has_loans);
	} else {
		task_of(c)->mode = what == 2 ? OWN_OUTSIDE : task_of(c)->mode | OWN_LENDS;
		task_of(c)->is_watched = false;
		(what == 2 ? own_segment_end : own_lends)(&own, &context[c]);
	}
}

static void step_task(int c)
{
	uintptr_t at = heap(HEAP_WORDS) + below(GLOBAL_WORDS) * OWN_WORD;
	size_t n = 1 + below(2);
	if (at + n * OWN_WORD > (uintptr_t)&memory[WORDS])
		return;
	if (below(2)) /* the task gets what is stored there, and only the task */
		own_stores_add(&own, &context[c], at, n * OWN_WORD);
	for (size_t i = 0; i < n; i++)
		((uintptr_t *)at)[i] = any_value();
	bool has_own = naive_task(c, at, at + n * OWN_WORD);
	assert_int_equal(own_task(&own, &context[c], at, n * OWN_WORD), has_own);
	if (own_store_counts(&own, &context[c]))
		own_stores_look(&own);
	own.stores = (struct own_stores){.span = own.stores.span, .room = own.stores.room};
}

static void step_block(int c)
{
	unsigned word = below(HEAP_WORDS), what = below(8);
	uintptr_t at = heap(word);
	unsigned n = 1 + below(HEAP_WORDS - word < 6 ? HEAP_WORDS - word : 6);
	size_t nbytes = n * OWN_WORD - (below(4) ? 0 : below(OWN_WORD));
	struct naive_block *b = block_at(at);
	if (what < 5) {
		own_alloc(&own, &context[c], at, nbytes);
		if (implicit_of(c))
			naive_add((struct naive_block){.at = at,
						       .end = at + nbytes,
						       .owner = c,
						       .implicit = implicit_of(c)});
	} else if (what == 5) {
		own_unseen(&own, at, nbytes);
		naive_add((struct naive_block){
			.is_copy = true, .at = at, .end = at + nbytes, .owner = -1});
	} else if (what == 6) {
		own_seen(&own, at);
		if (b && b->at == at)
			b->is_there = false;
	} else {
		own_free(&own, &context[c], at);
		if (b && b->at == at && !b->is_copy && !b->is_lent && b->owner != c)
			naive_found(b, c);
		if (b && b->at == at)
			b->is_there = false;
	}
}

static void step_store(int c)
{
	uintptr_t at = any_word();
	bool is_now = below(4) == 0; /* an atomic store, of one word */
	unsigned n = is_now ? 1 : 1 + below(3);
	if (at + n * OWN_WORD > (uintptr_t)&memory[WORDS])
		return;
	if (!is_now) /* before it happens */
		own_stores_add(&own, &context[c], at, n * OWN_WORD);
	for (unsigned i = 0; i < n; i++)
		((uintptr_t *)at)[i] = any_value();
	if (is_now && !own_is_on_stack(&context[c], at))
		own_store(&own, &context[c], at);
	own_stores_look(&own);
	for (unsigned i = 0; !is_on_stack(c, at) && i < n; i++)
		naive_store(c, at + i * OWN_WORD);
}

static void step_access(int c)
{
	uintptr_t addr = any_word() + below(OWN_WORD);
	if (below(3) == 0) /* few words, again and again */
		addr = stack_low(any_owner()) + below(3) * OWN_WORD;
	enum own_answer want = naive_of(c, addr), got = own_of(&own, &context[c], addr);
	assert_int_equal(got, want);
	if (got == OWN_TELL && own_in_hull(&own.lent, addr))
		own_touch(&own, &context[c], addr);
}

static void step(void)
{
	int owner = any_owner(), any = (int)below(CONTEXTS);
	unsigned what = below(100);
	if (what == 0) {
		own_launch(&own);
		naive_launch();
	} else if (what < 10) {
		step_phase(owner);
	} else if (what < 22) {
		step_mode(owner);
	} else if (what < 30) {
		step_task(any);
	} else if (what < 45) {
		step_block(any);
	} else if (what < 60) {
		step_store(any);
	} else {
		step_access(any);
	}
}

static void random_facts(void **state)
{
	unsigned answered[2] = {0};
	for (unsigned s = 0; s < SEQUENCES; s++) {
		begin();
		seed = 88172645463325252u + s;
		for (unsigned i = 0; i < STEPS; i++) {
			naive.has_doubt = false;
			doubts = 0;
			step();
			if ((doubts > 0) != naive.has_doubt)
				fail_msg("sequence %u, step %u: doubt %u, not %d", s, i, doubts,
					 naive.has_doubt);
			answered[naive.has_doubt]++;
		}
	}
	assert_true(answered[true] > SEQUENCES); /* they reach the rules */
}

static void thread_local_and_fresh(void **state)
{
	static _Thread_local int mine;
	begin();
	own.tls_bytes = 4096;
	assert_int_equal(own_of(&own, &context[0], (uintptr_t)&mine), OWN_SKIP);
	assert_int_equal(own_of(&own, &context[0], heap(0)), OWN_TELL);

	own_fresh_add(&own, OWN_FRESH_STACK, stack_low(0), 64, 7);
	own_fresh_add(&own, OWN_FRESH_BLOCK, heap(0), 16, 7);
	assert_true(own_is_fresh(&own, stack_low(0) + 63, 7));
	assert_true(own_is_fresh(&own, heap(1), 7));
	assert_false(own_is_fresh(&own, heap(2), 7));
	assert_false(own_is_fresh(&own, heap(1), 8));
	own_fresh_add(&own, OWN_FRESH_BLOCK, heap(4), 16, 8);
	assert_false(own_is_fresh(&own, stack_low(0), 8)); /* of another event */
	assert_true(own_is_fresh(&own, heap(4), 8));
}

static void arguments_are_not_stores(void **state)
{
	begin();
	own_phase(&own, &context[0], (struct own_phase){1, 1, stack_low(0), stack_low(1)});
	own_args(&own, heap(0), 16);
	memory[0] = 0;
	*(uintptr_t *)heap(1) = stack_low(0);
	own_stores_add(&own, &context[0], heap(1), 8);
	own_stores_look(&own);
	own_segment(&own, &context[0], false);
	assert_int_equal(doubts, 0);
	assert_true(own_is_of(&own, &context[0], heap(1)));
	assert_false(own_is_of(&own, &context[0], heap(2)));
	*(uintptr_t *)heap(2) = stack_low(0);
	own_stores_add(&own, &context[0], heap(2), 8);
	own_stores_look(&own);
	assert_int_equal(doubts, 1);
}

/* What does not fit into the table is shared. */
static void full_table(void **state)
{
	static uintptr_t many[2 * OWN_MOST + 2];
	begin();
	own_phase(&own, &context[0], (struct own_phase){1, 1, stack_low(0), stack_low(1)});
	own_segment(&own, &context[0], false);
	for (size_t i = 0; i <= OWN_MOST; i++)
		own_alloc(&own, &context[0], (uintptr_t)&many[2 * i], 8);
	assert_int_equal(own.nranges, OWN_MOST);
	for (size_t i = 0; i < OWN_MOST; i++) {
		assert_int_equal(own_of(&own, &context[0], (uintptr_t)&many[2 * i]), OWN_SKIP);
		assert_int_equal(own_of(&own, &context[0], (uintptr_t)&many[2 * i + 1]), OWN_TELL);
	}
	assert_int_equal(own_of(&own, &context[0], (uintptr_t)&many[2 * OWN_MOST]), OWN_TELL);
	for (size_t i = 1; i < OWN_MOST; i++) /* a chain, which one store publishes */
		many[2 * i - 2] = (uintptr_t)&many[2 * i];
	memory[WORDS - 1] = (uintptr_t)&many[0];
	own_store(&own, &context[0], (uintptr_t)&memory[WORDS - 1]);
	assert_int_equal(own.nranges, 0);
	assert_int_equal(own_of(&own, &context[0], (uintptr_t)&many[0]), OWN_TELL);
	for (size_t i = 0; i < OWN_MOST; i++)
		own_alloc(&own, &context[0], (uintptr_t)&many[2 * i], 8);
	own_launch(&own);
	assert_int_equal(own.nranges + own.heap.nbytes, 0);
}

/* A thread leaves its region while others are still in the same phase. */
static void end_of_region(void **state)
{
	for (int lends = 0; lends < 2; lends++) {
		begin();
		own_phase(&own, &context[0], (struct own_phase){1, 1, stack_low(0), stack_low(1)});
		own_phase(&own, &context[1], (struct own_phase){2, 2, stack_low(1), stack_low(2)});
		own_alloc(&own, &context[0], heap(0), 8);
		own_segment(&own, &context[0], false);
		assert_int_equal(own_of(&own, &context[0], heap(0)), OWN_SKIP);
		if (lends)
			own_lends(&own, &context[0]);
		else
			own_segment_end(&own, &context[0]);
		own_phase(&own, &context[0], (struct own_phase){0});
		assert_int_equal(own_of(&own, &context[1], heap(0)), OWN_TELL);
		assert_int_equal(doubts, !lends);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_facts),
		cmocka_unit_test(thread_local_and_fresh),
		cmocka_unit_test(arguments_are_not_stores),
		cmocka_unit_test(full_table),
		cmocka_unit_test(end_of_region),
	};
	memory_choose();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
