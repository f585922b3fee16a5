/* SPDX-License-Identifier: Apache-2.0
 *
 * A team of a league is one thread, outside of the regions in it: so are its tasks.  Its reduction is in order, also
 * if threads of a region inside have touched a copy that is on the heap.
 * verdict: race-free for this input on every schedule
 */
int count[2], sum;

int main(void)
{
#pragma omp teams distribute num_teams(2)
	for (int i = 0; i < 2; i++) {
#pragma omp task shared(count)
		count[i]++;
		count[i]++;
#pragma omp taskloop shared(count)
		for (int k = 0; k < 4; k++)
			count[i] += k;
	}
#pragma omp teams num_teams(3) reduction(+ : sum) allocate(sum)
	{
		sum = 0;
#pragma omp parallel num_threads(2)
		{
#pragma omp single
			sum++;
		}
	}
	return sum != 3 || count[0] != 8;
}
