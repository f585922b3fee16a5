# SPDX-License-Identifier: Apache-2.0
#
# own.s - what `snag fc` puts before the assembly that gfortran makes: the functions of OpenMP that
# gcc calls for its own purposes get names of their own (cc/openmp_code.h).  The program's own calls
# have other names in Fortran (api_fortran.c).
.set omp_get_thread_num, __snag_gnu_get_thread_num
.set omp_get_num_threads, __snag_gnu_get_num_threads
.set omp_get_team_num, __snag_gnu_get_team_num
.set omp_get_num_teams, __snag_gnu_get_num_teams
