/* SPDX-License-Identifier: Apache-2.0
 *
 * While main is alone it frees memory, gets the same memory again in many ways, and uses it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 200 };

static void use(void *p)
{
	volatile char *at = p;
	for (int i = 0; at && i < SIZE; i += 8)
		at[i] = 1;
	free(p);
}

int main(void)
{
	void *aligned = NULL;
	char *text = NULL;
	size_t room = 0;
	for (int round = 0; round < 3; round++) {
		use(malloc(SIZE));
		use(calloc(1, SIZE));
		use(realloc(malloc(8), SIZE));
		use(realloc(malloc(SIZE * 2), SIZE));
		use(reallocarray(NULL, 1, SIZE));
		use(aligned_alloc(32, 224));
		if (posix_memalign(&aligned, 64, SIZE) == 0)
			use(aligned);
		if (asprintf(&text, "%*d", SIZE, round) > 0)
			use(text);
		FILE *f = open_memstream(&text, &room);
		if (f) {
			fprintf(f, "%*d", SIZE, round);
			fclose(f);
			use(text);
		}
		use(memset(malloc(SIZE), 1, SIZE));
	}
	return 0;
}
