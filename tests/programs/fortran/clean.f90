! SPDX-License-Identifier: Apache-2.0
! Race-free: I/O in a loop, a reduction, a master block before a barrier, sections of arrays.
program clean
  implicit none
  integer :: i, s, first
  integer :: a(8, 8)
  character(len=8) :: word
  s = 0; a = 1
  !$omp parallel do reduction(+:s) private(word)
  do i = 1, 8
    write (word, '(i4)') i
    a(i, ::2) = a(i, ::2) + i
    print *, word, a(i, :)
    s = s + i
  end do
  !$omp parallel
  !$omp master
  first = 1
  !$omp end master
  !$omp barrier
  !$omp do
  do i = 1, 8
    a(i, 1) = first
  end do
  !$omp end do nowait
  !$omp end parallel
  print *, s, sum(a)
end program
