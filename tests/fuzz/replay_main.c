/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_main.c - runs every file of a corpus through a fuzz target, without libFuzzer
 *
 * What a fuzzer once found stays found: the corpus is part of the tests.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static void replay(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *from = fopen(path, "rb");
	fuzz_require(from != NULL);
	fseek(from, 0, SEEK_END);
	size_t n = (size_t)ftell(from);
	rewind(from);
	uint8_t *bytes = malloc(n + 1);
	fuzz_require(fread(bytes, 1, n, from) == n);
	fclose(from);
	LLVMFuzzerTestOneInput(bytes, n);
	free(bytes);
}

int main(int argc, char **argv)
{
	size_t n = 0;
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	if (!dir) {
		fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
		return 2;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		replay(argv[1], e->d_name);
		n++;
	}
	closedir(dir);
	printf("%zu inputs\n", n);
	return n > 0 ? 0 : 1; /* an empty corpus tests nothing */
}
