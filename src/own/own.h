/* SPDX-License-Identifier: Apache-2.0
 *
 * own.h - which memory is private to a thread of an OpenMP team
 *
 * Idea.   An iteration of a loop uses the stack, the thread-local variables
 *         and the buffers of its thread.  Another thread would have used its
 *         own, so accesses of two iterations to such memory are no race, and
 *         the runtime leaves them out.  This is sound while no other context
 *         reaches the memory.  The model follows each range of memory from
 *         its allocation until its address escapes.
 *
 * Terms.  A *context* is a stack with its thread: of an implicit task, or of
 *         an explicit one.  An *owner* is a context that runs an implicit
 *         task; the task has a number, and a range belongs to one number.  A
 *         *segment* is an iteration, a chunk, a section or a team of a league.
 *         A *phase* is what an implicit task does between two barriers.
 *
 * State.  Kinds of ranges, and where the model keeps them:
 *           stack   of an implicit task           stacks[]
 *           tls     of the running thread         next to its thread pointer
 *           block   from malloc, in a region      range[], by address
 *           copy    private copy of a reduction   range[]
 *           args    of the task to be created     args (the last one)
 *           fresh   given to the running context  fresh (at most two)
 *         State of a range:
 *           shared          not in the table
 *           private(owner)  no other context has its address
 *           lent(owner)     tasks of the owner have its address: a block until
 *                           the owner's next segment, a stack until its region
 *                           ends, fresh memory until the next event
 *           unseen          no access is reported
 *         Mode of a context: in a segment or not; *lending* from the first
 *         task or region that it creates there until the segment begins or ends.
 *
 * Rules.  Transitions; c is the context that the fact is about.
 *
 *         fact                range            from      to
 *         ------------------  ---------------  --------  ----------------------
 *         launch              all but copy     any       shared
 *         phase(c)            c's stack        -         private(c), if new
 *         segment(c, loans)   c's blocks       lent      shared, if loans
 *                                              lent      private, if not
 *         segment(c, loans)   c's stack        shared    shared; doubt
 *         task(c, args)       c's stack        private   lent
 *                             c's block        private   lent
 *                             others' block    private   shared, with [reach]
 *         alloc(c)            new block        -         private(c), if c owns
 *         free                block            any       shared
 *         unseen, seen        copy             any       unseen, shared
 *         store(value, at)    c's stack        any       shared        [escape]
 *                             block            any       shared, with [reach]
 *         access(c)           others' block    private   lent, if the owner
 *                                                        lends and c runs an
 *                                                        explicit task; else
 *                                                        shared        [found]
 *
 *         [escape]  The word at `at` counts if `at` is memory that another
 *                   task can read: not of the same implicit task.
 *         [reach]   All blocks become shared whose address a shared block
 *                   holds; a stack likewise.
 *         [found]   If no store published the address, and an access of the owner was
 *                   left out in this phase: doubt.
 *
 *         Answers of own_of(c, address) in a segment of c that does not lend,
 *         else tell:
 *
 *         range               state            answer
 *         ------------------  ---------------  ------------------------------
 *         tls, fresh, copy    any              skip, in segments or not
 *         c's stack           private, shared  skip
 *         c's stack           lent             skip; doubt where a task was
 *                                              in this phase, if loans are open
 *         c's block           private          skip
 *         anything else                        tell
 *
 *         [doubt]  means: the access, or an earlier one, was not reported although
 *                  another context may conflict with it.  The verdict of the
 *                  run must not be "race-free".
 * Guarantee.  If the model answers skip and never doubts, no other context
 *         could conflict with the access, as long as addresses are stored as
 *         they are and by code that snag compiled.  See docs/openmp.md.
 * Cost.   Two compares for an access to the stack or to thread-local storage;
 *         one more for any other; a binary search for one between the lowest
 *         and the highest private block.  A few instructions for each word that
 *         is stored.
 */
#ifndef SNAG_OWN_OWN_H
#define SNAG_OWN_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OWN_MOST = 4096, OWN_WORD = 8 };

enum own_answer {
	OWN_TELL,  /* record the access */
	OWN_SKIP,  /* leave it out */
	OWN_DOUBT, /* leave it out; the run proves nothing [doubt] */
};

enum own_kind { OWN_STACK, OWN_BLOCK, OWN_COPY };
enum own_state { OWN_SHARED, OWN_PRIVATE, OWN_LENT, OWN_UNSEEN };
/* Of a context, as bits.  The answer can be skip while the mode is OWN_SEGMENT, and no more. */
enum own_mode { OWN_OUTSIDE = 0, OWN_SEGMENT = 1, OWN_LENDS = 2 };

struct own_range {
	uintptr_t at, end;
	struct own_context *owner; /* NULL for copies, which have no owner */
	uint32_t implicit;	   /* number of the owner's task */
	uint32_t unreported_in;	   /* the last phase in which own_of answered skip; 0: none */
	uint8_t kind, state;	   /* enum own_kind, enum own_state */
};

/* The stack of an implicit task.  A region inside suspends the task, and pushes another one. */
struct own_stack {
	struct own_range range;
	uint32_t outer;	    /* of the same context, suspended; free ones: the next one; 0: none */
	uint8_t outer_mode; /* mode of the suspended task */
	/* The last phase in which another context accessed it while it was lent. */
	uint32_t touched_in;
	uint64_t *touched; /* the words that it accessed then: OWN_BITS bits by own_bit() */
};

struct own_context {
	/* [near] The stack, while own_of answers skip there; 0 bytes: it does not. */
	uintptr_t near_low;
	size_t near_bytes;
	uint32_t implicit;   /* number of the implicit task; 0: it runs none */
	uint32_t phase;	     /* unique among all tasks; outside of regions: the last one */
	uintptr_t low, high; /* stack of that task */
	uint32_t stack;	     /* its index in stacks[]; 0: none */
	uint8_t mode;	     /* enum own_mode */
	bool is_watched;     /* in a segment, with open loans, and its stack was touched */
};

/* A span of addresses that contains all ranges of some set. */
struct own_hull {
	uintptr_t low;
	size_t nbytes; /* 0: the set is empty */
};

static inline bool own_in_hull(const struct own_hull *h, uintptr_t addr)
{
	return addr - h->low < h->nbytes;
}

struct own_span {
	uintptr_t at, end;
};

/* Words that a context stored since the last look (stores.c). */
struct own_stores {
	size_t n, room;
	struct own_span *span;
	uintptr_t *end; /* of the last span; NULL: none */
	struct own_context *by;
};

/* Memory that only the running context can reach until its next event. */
enum own_fresh_kind { OWN_FRESH_STACK, OWN_FRESH_BLOCK, OWN_FRESH_KINDS };
struct own_fresh {
	uint64_t until; /* stamp of the caller's; the ranges count while it is the present one */
	struct own_hull range[OWN_FRESH_KINDS];
};

struct own {
	size_t tls_bytes; /* of a thread, at most */
	struct own_hull heap;
	struct own_hull lent; /* stacks */
	uint32_t nranges;
	struct own_fresh fresh;
	struct own_stores stores;
	struct own_span args;
	/* Set by the user of the model. */
	void (*doubt)(void);
	void *(*grow)(void *p, size_t old, size_t nbytes); /* never NULL; new bytes are 0 */

	struct own_stack *stacks; /* from index 1 on */
	uint32_t nstacks, stacks_room, free_stack;
	struct own_range range[OWN_MOST];
	uint16_t pending[OWN_MOST]; /* [reach] */
};

/* A launch, the outermost region with several threads, begins or ends. */
void own_launch(struct own *o);

/* c starts or resumes an implicit task, or begins its next phase.  Number 0: c leaves its
 * outermost region. */
struct own_phase {
	uint32_t number, phase;
	uintptr_t low, high; /* stack */
};
void own_phase(struct own *o, struct own_context *c, struct own_phase p);

/* c begins a segment.  has_loans: tasks that know its stack were not waited for (loans.h). */
void own_segment(struct own *o, struct own_context *c, bool has_loans);
void own_segment_end(struct own *o, struct own_context *c);

/* c creates a task or a region, which may use all that c owns, in this segment or outside. */
void own_lends(struct own *o, struct own_context *c);

/* The library allocates the arguments of the next task. */
void own_args(struct own *o, uintptr_t at, size_t nbytes);

/* c creates a task with these arguments.  Returns whether one of them is an address that c owns. */
bool own_task(struct own *o, struct own_context *c, uintptr_t at, size_t nbytes);

void own_alloc(struct own *o, struct own_context *c, uintptr_t at, size_t nbytes);
void own_free(struct own *o, const struct own_context *c, uintptr_t at);

/* Private copies that a thread combines. */
void own_unseen(struct own *o, uintptr_t at, size_t nbytes);
void own_seen(struct own *o, uintptr_t at);

/* The word at `at` was stored by c, and has its value by now. */
void own_store(struct own *o, struct own_context *c, uintptr_t at);

/* c accesses an address for which own_of answers tell.  Call it for those in o->lent. */
void own_touch(struct own *o, const struct own_context *c, uintptr_t addr);

/* The range is fresh for the running context while its stamp is `until`. */
static inline void own_fresh_add(struct own *o, enum own_fresh_kind kind, uintptr_t at,
				 size_t nbytes, uint64_t until)
{
	if (o->fresh.until != until)
		o->fresh.range[OWN_FRESH_STACK].nbytes = o->fresh.range[OWN_FRESH_BLOCK].nbytes = 0;
	o->fresh.range[kind] = (struct own_hull){at, nbytes};
	o->fresh.until = until;
}

static inline bool own_is_fresh(const struct own *o, uintptr_t addr, uint64_t now)
{
	return __builtin_expect(o->fresh.until == now, 0) &&
	       (own_in_hull(&o->fresh.range[OWN_FRESH_STACK], addr) ||
		own_in_hull(&o->fresh.range[OWN_FRESH_BLOCK], addr));
}

static inline bool own_is_near(const struct own_context *c, uintptr_t addr)
{
	return addr - c->near_low < c->near_bytes;
}

static inline bool own_is_tls(const struct own *o, uintptr_t addr)
{
	return (uintptr_t)__builtin_thread_pointer() - addr <= o->tls_bytes;
}

static inline bool own_is_on_stack(const struct own_context *c, uintptr_t addr)
{
	return addr - c->low < c->high - c->low;
}

enum own_answer own_of_watched(const struct own *o, const struct own_context *c, uintptr_t addr);
enum own_answer own_of_heap(struct own *o, const struct own_context *c, uintptr_t addr);

/* The answer for an access of the running context c.  An access to a private block of another
 * context is a fact, too: see the table. */
static inline enum own_answer own_of(struct own *o, const struct own_context *c, uintptr_t addr)
{
	if (own_is_near(c, addr) || own_is_tls(o, addr))
		return OWN_SKIP;
	if (__builtin_expect(c->is_watched, 0) && own_is_on_stack(c, addr))
		return own_of_watched(o, c, addr);
	return own_in_hull(&o->heap, addr) ? own_of_heap(o, c, addr) : OWN_TELL;
}

/* Whether own_of can answer skip for c at all, beside thread-local storage. */
static inline bool own_may_skip(const struct own *o, const struct own_context *c)
{
	return c->near_bytes | o->nranges | c->is_watched;
}

/* Whether c's implicit task owns the address, or it is in arguments of the next task. */
bool own_is_of(const struct own *o, const struct own_context *c, uintptr_t addr);

/* Calls f for each block that c's implicit task owns. */
void own_each(const struct own *o, const struct own_context *c,
	      void (*f)(uintptr_t at, size_t nbytes));

/* Stores that the model examines together (stores.c). */
/* Only owners have something to publish, and tasks while there are blocks of owners. */
static inline bool own_store_counts(const struct own *o, const struct own_context *c)
{
	return c->implicit | o->nranges;
}

/* c is about to store these bytes.  own_stores_look() calls own_store() for each word that another
 * task could read; call it before another context runs. */
void own_stores_add(struct own *o, struct own_context *c, uintptr_t addr, size_t nbytes);
void own_stores_look(struct own *o);
/* Forgets the words in there: a task gets them as arguments. */
void own_stores_drop(struct own *o, uintptr_t at, uintptr_t end);

static inline void own_stores_add_word(struct own *o, struct own_context *c, uintptr_t addr)
{
	if (__builtin_expect(o->stores.end && *o->stores.end == addr, 1))
		*o->stores.end += OWN_WORD;
	else
		own_stores_add(o, c, addr, OWN_WORD);
}

enum { OWN_BITS_LOG = 12, OWN_BITS = 1 << OWN_BITS_LOG };

/* The bit of a word in own_stack.touched. */
static inline uint32_t own_bit(uintptr_t addr)
{
	return (uint32_t)(addr / OWN_WORD * UINT64_C(0x9e3779b97f4a7c15) >> (64 - OWN_BITS_LOG));
}

#endif
