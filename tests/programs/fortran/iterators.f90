! SPDX-License-Identifier: Apache-2.0
! Race-free: variables of simd loops are private in the construct around them.
module counts
  implicit none
  integer :: k
contains
  subroutine blocks(a)
    integer, intent(inout) :: a(8, 8)
    integer :: i, j
    !$omp parallel
    block
      !$omp do simd
      do j = 1, 8
        a(j, 1) = a(j, 1) + 1
      end do
      !$omp end do simd nowait
      !$omp do simd
      do j = 1, 8
        a(j, 2) = a(j, 2) + 1
      end do
      !$omp end do simd
    end block
    !$omp parallel num_threads(2)
    !$omp single
    do i = 3, 4
      !$omp task firstprivate(i)
      !$omp simd
      do k = 1, 8
        a(k, i) = a(k, i) + 1
      end do
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
  end subroutine
end module

program iterators
  use counts
  implicit none
  integer :: i, j, l, after, sums(8), a(8, 8)
  sums = 0; after = 0; a = 0
  !$omp parallel do reduction(+:sums, after)
  do i = 1, 20
    !$omp simd
    do j = 1, 8
      sums(j) = sums(j) + 1
    end do
    after = after + j
    !$omp simd collapse(2)
    do j = 1, 2
      do l = 1, 4
        sums(4 * (j - 1) + l) = sums(4 * (j - 1) + l) + 1
      end do
    end do
  end do
  !$omp target teams distribute parallel do num_teams(2) reduction(+:sums)
  do i = 1, 20
    !$omp simd
    do k = 1, 8
      sums(k) = sums(k) + 1
    end do
  end do
  call blocks(a)
  print *, sum(sums), after, sum(a)
end program
