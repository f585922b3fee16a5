/* SPDX-License-Identifier: Apache-2.0
 *
 * The affinity of threads in words: fields by letter and by name, to the left, to the right and filled; too little room.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>
#include <string.h>

static char text[4][64];

static int differs(const char *format, const char *want)
{
	char got[64];
	return omp_capture_affinity(got, sizeof(got), format) != strlen(want) || strcmp(got, want) != 0;
}

int main(void)
{
	char small[4], format[64];
	if (omp_get_affinity_format(small, sizeof(small)) < sizeof(small) || strcmp(small, "lev") != 0)
		return 1;
	omp_set_affinity_format("%0.3n of %N|%{nesting_level}");
	if (omp_get_affinity_format(format, sizeof(format)) != strlen(format))
		return 1;
#pragma omp parallel num_threads(4)
#pragma omp for schedule(static, 1)
	for (int i = 0; i < 4; i++)
		omp_capture_affinity(text[i], sizeof(text[i]), NULL);
	for (int i = 0; i < 4; i++)
		if (strlen(text[i]) != strlen("000 of 4|1") || strcmp(text[i] + 3, " of 4|1") != 0)
			return 1;
	return differs("<%4n|%.4n|%{thread_num}>%%", "<0   |   0|0>%") ||
	       differs("%{none} %", "undefined ") || differs("%T%t%5", "10") || differs("%{num", "undefined");
}
