/* SPDX-License-Identifier: Apache-2.0
 *
 * n tasks (the first argument) that write `last`, which is the status, in a critical section; or, as the
 * second argument says, with a lock, as mutexinoutset, or each a number of its own ("apart").
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
static int last, own[10];
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	const char *how = argc > 2 ? argv[2] : "critical";
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < n; i++) {
		if (strcmp(how, "mutexinoutset") == 0) {
#pragma omp task depend(mutexinoutset : last) firstprivate(i)
			last = i;
			continue;
		}
#pragma omp task firstprivate(i)
		if (strcmp(how, "lock") == 0) {
			omp_set_lock(&lock);
			last = i;
			omp_unset_lock(&lock);
		} else if (strcmp(how, "apart") == 0) {
#pragma omp critical
			own[i]++;
		} else {
#pragma omp critical
			last = i;
		}
	}
	return last;
}
