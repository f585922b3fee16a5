/* SPDX-License-Identifier: Apache-2.0
 *
 * A variable of an iteration, on which it is atomic, where another iteration has created a task.
 * verdict: race-free for this input on every schedule
 */
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for
	for (int i = 0; i < 4; i++) {
		int first = 0, own = 0;
		if (i == 2) {
#pragma omp task shared(first)
			first++;
#pragma omp taskwait
		}
#pragma omp atomic
		own++;
	}
	return 0;
}
