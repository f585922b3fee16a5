/* SPDX-License-Identifier: Apache-2.0
 *
 * fork.c - the child of a fork is not recorded: it goes on alone, with the runtime off
 */
#include "runtime/real.h"
#include "runtime/sched.h"

RT_EXPORT pid_t fork(void)
{
	rt_enter();
	pid_t pid = rt_real.fork();
	if (pid == 0)
		rt_turn_off();
	return pid;
}
