/* SPDX-License-Identifier: Apache-2.0
 *
 * One task writes a word, then a byte of it; another reads the other half of the word.  The judge in
 * the program and the recorded run both see what the first write did there.
 * race: word
 */
#include <snag/task.h>
#include <stdint.h>

static volatile union {
	uint64_t all;
	uint32_t half[2];
	uint8_t byte[8];
} word;

static void set(void *unused)
{
	word.all = 0;
}

static void change(void *unused)
{
	snag_finish {
		snag_async(set, NULL);
	}
	word.byte[1] = 1;
}

static void look(void *unused)
{
	if (word.half[1])
		word.half[1] = 0;
}

static void first(void *unused)
{
	snag_async(change, NULL);
	snag_async(look, NULL);
}

int main(void)
{
	return snag_launch(first, NULL);
}
