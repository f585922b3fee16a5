/* SPDX-License-Identifier: Apache-2.0
 *
 * omp.h - programs that use OpenMP
 */
#ifndef SNAG_RUNTIME_OMP_H
#define SNAG_RUNTIME_OMP_H

#include <stdbool.h>
#include <stdint.h>

bool rt_omp_may_launch(void);	   /* the program is linked with OpenMP */
void rt_omp_report(void);	   /* reports that the program uses OpenMP, if it does */
void rt_omp_turn(uint64_t events); /* A turn has ended that had this many events. */

#endif
