/* SPDX-License-Identifier: Apache-2.0
 *
 * mutexinoutset excludes siblings only: not the tasks of another thread.
 * race: x
 */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp task depend(mutexinoutset : x)
	x++;
	return 0;
}
