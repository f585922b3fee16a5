/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread does depends on an iteration that it had: a race, but only said to be possible.
 * verdict: no race found, but other schedules may have one: outside of loops threads do different things
 */
int x, y;

static __attribute__((noinline)) void look(void)
{
	y = x;
}

int main(void)
{
#pragma omp parallel
	{
		int mine = 0;
#pragma omp for
		for (int i = 0; i < 4; i++)
			if (i == 0)
				mine = 1;
		if (mine)
			x = 1;
#pragma omp for
		for (int i = 0; i < 16; i++)
			if (i == 4)
				look();
	}
	return 0;
}
