/* SPDX-License-Identifier: Apache-2.0
 *
 * valgrind.c - annotations for Helgrind and DRD: client requests of Valgrind
 *
 * Idea.   The macros of <valgrind/helgrind.h> and <valgrind/drd.h> are instructions that do
 *         nothing: %rdi is rotated once around, then %rbx is exchanged with itself.  Valgrind knows
 *         them. %rax points to the number of the request and its five arguments, %rdx is the
 *         answer. Compiled by `snag cc`, they become a call: gcc's assembler replaces the exchange
 *         (pause.s), and the plugin for clang the inline assembly (pass/requests.cpp).
 * Rules.  [order]   ANNOTATE_HAPPENS_BEFORE releases, ANNOTATE_HAPPENS_AFTER acquires the address;
 *                   so do posts of and waits for semaphores that the program implements
 *         [lock]    mutexes and reader-writer locks that it implements are annotated locks
 *         [benign]  races on memory that is not to be checked are suppressed, for good
 *         [ignore]  as AnnotateIgnoreReadsBegin and its relatives
 *         [new]     what an allocator of the program hands out, or cleans, is new memory
 *         Other requests do nothing.  The answer stays what it is, so the program
 *         does not run under Valgrind.
 */
#include "runtime/interpose/annotate.h"
#include "runtime/registers.h"

#include <stdint.h>

/* Numbers of requests: 'H' 'G' or 'D' 'R' in the upper half, those of all tools without. */
enum request {
	NEW_BLOCK = 0x1301,
	POOL_BLOCK = 0x1305,
	NEW_MEMORY = 0x48470000,
	MUTEX_CREATE = NEW_MEMORY + 259,
	MUTEX_DESTROY = NEW_MEMORY + 260,
	MUTEX_UNLOCK = NEW_MEMORY + 261,
	MUTEX_LOCKED = NEW_MEMORY + 264,
	RWLOCK_CREATE = NEW_MEMORY + 270,
	RWLOCK_DESTROY = NEW_MEMORY + 271,
	RWLOCK_LOCKED = NEW_MEMORY + 273,
	RWLOCK_UNLOCK = NEW_MEMORY + 274,
	SEMAPHORE_POST = NEW_MEMORY + 278,
	SEMAPHORE_WAITED = NEW_MEMORY + 279,
	HAPPENS_BEFORE = NEW_MEMORY + 289,
	HAPPENS_AFTER = NEW_MEMORY + 290,
	UNCHECKED = NEW_MEMORY + 295,
	DRD = 0x44520000,
	DRD_BENIGN = DRD + 2,
	DRD_LOADS = DRD + 6,
	DRD_STORES = DRD + 7,
	DRD_SEMAPHORE_WAITED = DRD + 13,
	DRD_SEMAPHORE_POST = DRD + 14
};

static void request_do(const uintptr_t *word, uintptr_t pc)
{
	const uintptr_t at = word[1];
	switch ((uint32_t)word[0]) {
	case HAPPENS_BEFORE:
	case SEMAPHORE_POST:
	case DRD_SEMAPHORE_POST:
		rt_annotated_release(at, pc);
		break;
	case HAPPENS_AFTER:
	case SEMAPHORE_WAITED:
	case DRD_SEMAPHORE_WAITED:
		rt_annotated_acquire(at, pc);
		break;
	case MUTEX_CREATE:
	case RWLOCK_CREATE:
		rt_annotated_create(at);
		break;
	case MUTEX_DESTROY:
	case RWLOCK_DESTROY:
		rt_annotated_destroy(at, pc);
		break;
	case MUTEX_LOCKED:
		rt_annotated_lock(at, false, 1, pc);
		break;
	case RWLOCK_LOCKED:
		rt_annotated_lock(at, !word[2], 1, pc);
		break;
	case MUTEX_UNLOCK:
	case RWLOCK_UNLOCK: /* only DRD's says whether it was to write */
		rt_annotated_unlock(at, !rt_annotated_is_mine(at), false, pc);
		break;
	case UNCHECKED:
	case DRD_BENIGN:
		rt_annotated_benign(at, word[2]);
		break;
	case DRD_LOADS:
	case DRD_STORES:
		rt_annotated_ignore(at ? -1 : 1);
		break;
	case NEW_MEMORY:
	case NEW_BLOCK:
		rt_annotated_memory(at, word[2]);
		break;
	case POOL_BLOCK:
		rt_annotated_memory(word[2], word[3]);
		break;
	default:
		break;
	}
}

/* The plugin puts this call in place of the instructions. */
RT_ABI(void, __snag_request, const uintptr_t *word)
{
	RT_SCOPE;
	request_do(word, RT_CALLER);
}

RT_ABI(void, __snag_request_at, const uintptr_t *word, uintptr_t pc)
{
	RT_SCOPE;
	request_do(word, pc);
}

__asm__(RT_KEEPING_REGISTERS("__snag_request_here", "__snag_request_at",
			     "	mov 72(%rbp), %rdi\n"
			     "	mov 88(%rbp), %rsi\n",
			     ""));
