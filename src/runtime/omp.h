/* SPDX-License-Identifier: Apache-2.0
 *
 * omp.h - programs that use OpenMP
 */
#ifndef SNAG_RUNTIME_OMP_H
#define SNAG_RUNTIME_OMP_H

void rt_omp_tell(void); /* that the program is one, if it is */

#endif
