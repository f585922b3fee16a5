/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h - programs written with <snag/task.h>
 */
#ifndef SNAG_RUNTIME_TASKS_H
#define SNAG_RUNTIME_TASKS_H

void rt_tasks_tell(void); /* that the program is one, if it is */

#endif
