/* SPDX-License-Identifier: Apache-2.0
 *
 * A place for each thread, in a loop: what one thread does there is in order.
 * verdict: no race found, .*the program asks which thread runs a task
 */
#include <omp.h>

int part[64];

int main(void)
{
	int sum = 0;
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		part[omp_get_thread_num()] += i;
	for (int i = 0; i < 64; i++)
		sum += part[i];
	return sum != 4950;
}
