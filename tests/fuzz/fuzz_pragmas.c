/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_pragmas.c - preprocessed text with any bytes, rewritten for gcc and for clang
 *
 * For clang, a text that does not name OpenMP comes out as it was.
 */
#include "cc/openmp/openmp_pragmas.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t ndone;
	char *text = calloc(1, n ? n : 1); /* its end is watched */
	if (n)				   /* libFuzzer begins with the empty input, at NULL */
		memcpy(text, bytes, n);
	free(cc_openmp_rewrite(text, n, true, &ndone));
	char *done = cc_openmp_rewrite(text, n, false, &ndone);
	if (!memmem(text, n, "omp", 3))
		fuzz_require(ndone == n && memcmp(done, text, n) == 0);
	free(done);
	free(text);
	return 0;
}
