C     SPDX-License-Identifier: Apache-2.0
C     Fixed form: labels, continuation in column 6, sentinels in column 1.
      PROGRAM FIXED
      INTEGER I, J, LAST
      INTEGER A(10,10)
C$OMP PARALLEL DO
C$OMP& PRIVATE(J)
      DO 10 I = 1, 10
      DO 10 J = 1, 10
        A(I,J) = I +
     &           J
   10 CONTINUE
!$OMP PARALLEL DO
      DO 20 I = 1, 10
        LAST = A(I,I)
   20 CONTINUE
      PRINT *, LAST
      END
