/* SPDX-License-Identifier: Apache-2.0
 *
 * A block whose address the C library stores, unseen: a race, but only said to be possible.
 * verdict: no race found, but other schedules may have one: private memory of a thread became known to others
 */
#include <argz.h>
#include <stdlib.h>

char *text;
size_t nbytes;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		if (argz_create_sep("42", ' ', &text, &nbytes) != 0)
			abort();
#pragma omp for
		for (int i = 0; i < 2; i++)
			text[0] = (char)('0' + i);
	}
	free(text);
	return 0;
}
