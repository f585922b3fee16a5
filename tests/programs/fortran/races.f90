! SPDX-License-Identifier: Apache-2.0
! A module variable, a common block, an allocatable array, a simd loop, and one that is printed.
module state
  implicit none
  integer :: Total
end module

program races
  use omp_lib
  use state
  implicit none
  integer :: i, seen
  integer :: hits
  common /counts/ hits
  real, allocatable :: field(:)
  allocate (field(200))
  field = 0; seen = 0
  !$omp parallel do &
  !$omp   schedule(static)
  do i = 1, 100
    Total = Total + i            ! line 21
    hits = i                     ! line 22
  end do
  !$omp end parallel do
  !$omp simd
  do i = 1, 99
    field(i + 1) = field(i) + 1  ! line 27
  end do
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) then
    seen = 1                     ! line 31
  else
    print *, seen                ! line 33
  end if
  !$omp endparallel
end program
