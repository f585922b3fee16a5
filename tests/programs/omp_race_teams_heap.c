/* SPDX-License-Identifier: Apache-2.0
 *
 * A block that a thread has allocated is not its own for the teams of a league that it meets.
 * race: heap block
 */
#include <stdlib.h>

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int *block = malloc(sizeof(int));
#pragma omp target teams num_teams(2)
		*block = 1;
		free(block);
	}
	return 0;
}
