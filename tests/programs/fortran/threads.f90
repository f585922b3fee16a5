! SPDX-License-Identifier: Apache-2.0
! Called by threads that C makes: no OpenMP.
subroutine work(n) bind(c)
  use iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer, save :: shared
  shared = n                     ! line 8
  print *, shared
end subroutine
