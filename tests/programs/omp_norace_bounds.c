/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops at the bounds of their types, up and down.
 * verdict: race-free for this input on every schedule
 */
#include <limits.h>

#define COUNTED(want, loop)                                   \
	{                                                     \
		int n = 0;                                    \
		_Pragma("omp parallel for reduction(+ : n)") loop n++; \
		if (n != (want))                              \
			return 1;                             \
	}

int main(void)
{
	unsigned u;
	int i;
	long l;
	unsigned long w;
	COUNTED(1, for (u = 0; u <= 0; u++))
	COUNTED(1, for (u = UINT_MAX; u > UINT_MAX - 1; u--))
	COUNTED(1, for (u = UINT_MAX; u >= UINT_MAX; u--))
	COUNTED(2, for (u = 6; u > 0; u -= 3))
	COUNTED(0, for (u = 30; u < 20; u += 2))
	COUNTED(0, for (u = 20; u > 30; u -= 2))
	COUNTED(1, for (i = INT_MIN; i < INT_MIN + 1; i++))
	COUNTED(1, for (i = INT_MAX; i > INT_MAX - 1; i--))
	COUNTED(2, for (l = LONG_MIN; l <= LONG_MIN + 1; l++))
	COUNTED(4, for (l = 0; l < 10000000000; l += 3000000000))
	COUNTED(2, for (l = LONG_MAX - 5; l < LONG_MAX; l += 3))
	COUNTED(1, for (w = ULONG_MAX; w > ULONG_MAX - 1; w--))
	COUNTED(3, for (w = 9; w > 0; w -= 3))
	return 0;
}
