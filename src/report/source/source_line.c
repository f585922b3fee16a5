/* SPDX-License-Identifier: Apache-2.0
 *
 * source_line.c - one line of a source file
 */
#include "report/source/source_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILE = 64 << 20 };

char *snag_source_line(const char *file, uint32_t number)
{
	struct stat st; /* a pipe would keep us waiting */
	FILE *in = file && number && stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
				   st.st_size <= MOST_FILE
			   ? fopen(file, "r")
			   : NULL;
	char *line = NULL;
	size_t room = 0;
	if (!in)
		return NULL;
	for (uint32_t i = 0; i < number; i++)
		if (getline(&line, &room, in) < 0) {
			free(line);
			line = NULL;
			break;
		}
	fclose(in);
	if (line)
		line[strcspn(line, "\r\n")] = 0;
	return line;
}
