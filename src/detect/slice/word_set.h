/* SPDX-License-Identifier: Apache-2.0
 *
 * word_set.h - a set of words of 8 bytes of memory
 *
 * State.  page   for each page of memory that has some of them: a bit for each of its words
 *         recent pages that were asked for lately, also if they have none
 * Cost.   80 bytes per page.  About 2 ns to ask for a page that was asked for lately.
 */
#ifndef SNAG_DETECT_WORD_SET_H
#define SNAG_DETECT_WORD_SET_H

#include "base/slots.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SNAG_WORD_LOG = 3,
	SNAG_WORD = 1 << SNAG_WORD_LOG,
	SNAG_WORD_PAGE_LOG = 12,
	SNAG_WORDS_OF_PAGE = 1 << (SNAG_WORD_PAGE_LOG - SNAG_WORD_LOG),
	SNAG_WORD_PAGES_RECENT = 64,
};

struct snag_word_page {
	uint64_t number;
	uint64_t words[SNAG_WORDS_OF_PAGE / 64];
};

struct snag_word_set { /* all 0: empty */
	struct snag_word_page *page;
	size_t npages, cap;
	struct snag_slots by_number;
	struct {
		uint64_t number; /* 1 + that of the page; 0: none */
		uint32_t at;	 /* or SNAG_SLOTS_NONE */
	} recent[SNAG_WORD_PAGES_RECENT];
};

void snag_word_set_done(struct snag_word_set *w);
/* Adds the words that these bytes touch. */
void snag_word_set_add(struct snag_word_set *w, uint64_t address, uint64_t nbytes);
/* Removes the word that this byte lies in. */
void snag_word_set_remove(struct snag_word_set *w, uint64_t address);
/* Returns whether these bytes touch some of the words. */
bool snag_word_set_has(struct snag_word_set *w, uint64_t address, uint64_t nbytes);

/* The same for one word. */
static inline bool snag_word_set_has_word(struct snag_word_set *w, uint64_t address)
{
	const uint64_t number = address >> SNAG_WORD_PAGE_LOG;
	const uint64_t word = address >> SNAG_WORD_LOG & (SNAG_WORDS_OF_PAGE - 1);
	const uint32_t at = w->recent[number % SNAG_WORD_PAGES_RECENT].at;
	if (w->recent[number % SNAG_WORD_PAGES_RECENT].number != number + 1)
		return snag_word_set_has(w, address, 1);
	return at != SNAG_SLOTS_NONE && w->page[at].words[word / 64] >> word % 64 & 1;
}

#endif
