/* SPDX-License-Identifier: Apache-2.0
 *
 * A child has threads of its own for its regions.
 * verdict: race-free for this input on every schedule
 */
#include <sys/wait.h>
#include <unistd.h>

int a[40];

static int work(void)
{
	int n = 0;
#pragma omp parallel for reduction(+ : n) num_threads(4)
	for (int i = 0; i < 40; i++)
		n += ++a[i];
	return n;
}

int main(void)
{
	int status = 1, n = work();
	pid_t child = fork();
	if (child == 0)
		_exit(work() != 80);
	waitpid(child, &status, 0);
	return n != 40 || work() != 80 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
