! SPDX-License-Identifier: Apache-2.0
! Race-free: procedures whose arguments are used in constructs inside of others.  gcc copies their
! addresses back to the block of the outer construct.
program arguments
  implicit none
  integer :: n
  integer, allocatable :: x(:, :)
  n = 8
  allocate (x(n, n))
  x = 0
  call regions(n, x)
  call simds(n, x)
  call tasks(n, x)
  call taskloops(n, x)
  call sum_up(n, x)
  print *, sum(x)
contains
  subroutine regions(n, x)
    integer :: n, x(n, n), i, j
    !$omp parallel do private(j)
    do i = 1, n
      do j = 1, 2
        !$omp parallel num_threads(1)
        x(i, j) = x(i, j) + n
        !$omp end parallel
      end do
    end do
  end subroutine
  subroutine simds(n, x)
    integer :: n, x(n, n), i, j, k
    !$omp parallel do private(j)
    do i = 1, n
      do j = 1, 2
        !$omp simd
        do k = 1, n
          x(k, i) = x(k, i) + j
        end do
      end do
    end do
  end subroutine
  subroutine tasks(n, x)
    integer :: n, x(n, n), i, j
    !$omp parallel do private(j)
    do i = 1, n
      do j = 1, 2
        !$omp task firstprivate(i, j)
        x(i, j) = x(i, j) + n
        !$omp end task
      end do
    end do
  end subroutine
  subroutine taskloops(n, x)
    integer :: n, x(n, n), i, j
    !$omp parallel do private(j)
    do i = 1, n
      !$omp taskloop
      do j = 1, n
        x(i, j) = x(i, j) + n
      end do
    end do
  end subroutine
  subroutine sum_up(n, x)
    integer :: n, x(n, n), i, j, all
    !$omp parallel num_threads(2) private(all)
    !$omp do
    do i = 1, n
      all = 0
      !$omp parallel do num_threads(2) reduction(+:all)
      do j = 1, n
        all = all + x(i, j)
      end do
      x(i, 1) = all
    end do
    !$omp end parallel
  end subroutine
end program
