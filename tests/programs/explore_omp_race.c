/* SPDX-License-Identifier: Apache-2.0
 *
 * A task that arrives before the door is open is a guest too: a race in that order only.
 */
static int door, guests;
int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		{
#pragma omp critical
			door = 1;
		}
#pragma omp section
		{
			int is_open;
#pragma omp critical
			is_open = door;
			if (!is_open)
				guests++;
		}
#pragma omp section
		guests++;
	}
	return 0;
}
