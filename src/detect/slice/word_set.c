/* SPDX-License-Identifier: Apache-2.0
 *
 * word_set.c - a set of words of 8 bytes of memory
 */
#include "detect/slice/word_set.h"

#include "base/memory.h"

enum { WORD = SNAG_WORD, PAGE = 1 << SNAG_WORD_PAGE_LOG };

static uint64_t page_hash(const void *ctx, uint32_t number)
{
	return snag_hash(((const struct snag_word_set *)ctx)->page[number].number, 0);
}

static bool page_equals(const void *ctx, uint32_t number, const void *key)
{
	return ((const struct snag_word_set *)ctx)->page[number].number == *(const uint64_t *)key;
}

static struct snag_word_page *page_find(struct snag_word_set *w, uint64_t number)
{
	uint64_t *known = &w->recent[number % SNAG_WORD_PAGES_RECENT].number;
	uint32_t *at = &w->recent[number % SNAG_WORD_PAGES_RECENT].at;
	if (*known != number + 1) {
		*known = number + 1;
		*at = snag_slots_find(&w->by_number, snag_hash(number, 0), page_equals, w, &number);
	}
	return *at == SNAG_SLOTS_NONE ? NULL : &w->page[*at];
}

static struct snag_word_page *page_make(struct snag_word_set *w, uint64_t number)
{
	struct snag_word_page *page = page_find(w, number);
	if (page)
		return page;
	uint32_t at = (uint32_t)w->npages++;
	w->page = snag_grow(w->page, &w->cap, w->npages, sizeof(*w->page));
	w->page[at] = (struct snag_word_page){.number = number};
	snag_slots_add(&w->by_number, at, page_hash, w);
	w->recent[number % SNAG_WORD_PAGES_RECENT].at = at;
	return &w->page[at];
}

static uint32_t word_of(uint64_t address)
{
	return (uint32_t)(address & (PAGE - 1)) >> SNAG_WORD_LOG;
}

void snag_word_set_add(struct snag_word_set *w, uint64_t address, uint64_t nbytes)
{
	for (uint64_t at = address & -(uint64_t)WORD; at < address + nbytes; at += WORD)
		page_make(w, at >> SNAG_WORD_PAGE_LOG)->words[word_of(at) / 64] |=
			UINT64_C(1) << word_of(at) % 64;
}

void snag_word_set_remove(struct snag_word_set *w, uint64_t address)
{
	struct snag_word_page *page = page_find(w, address >> SNAG_WORD_PAGE_LOG);
	if (page)
		page->words[word_of(address) / 64] &= ~(UINT64_C(1) << word_of(address) % 64);
}

bool snag_word_set_has(struct snag_word_set *w, uint64_t address, uint64_t nbytes)
{
	const uint64_t last = address + nbytes - 1;
	for (uint64_t at = address & -(uint64_t)WORD; at <= last;) {
		const struct snag_word_page *page = page_find(w, at >> SNAG_WORD_PAGE_LOG);
		if (page && page->words[word_of(at) / 64] >> word_of(at) % 64 & 1)
			return true;
		at = page ? at + WORD : (at | (PAGE - 1)) + 1;
	}
	return false;
}

void snag_word_set_done(struct snag_word_set *w)
{
	free(w->page);
	snag_slots_done(&w->by_number);
	*w = (struct snag_word_set){0};
}
