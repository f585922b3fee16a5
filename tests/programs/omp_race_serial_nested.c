/* SPDX-License-Identifier: Apache-2.0
 *
 * A region of two threads inside of one of one thread, in an iteration: its threads share what that one has on its stack.
 * race: stack of task 0
 */
int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(1)
		{
			int local = i;
#pragma omp parallel num_threads(2)
			local++;
		}
	}
	return 0;
}
