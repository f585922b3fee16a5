/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz.h - what fuzz targets share
 */
#ifndef SNAG_TESTS_FUZZ_H
#define SNAG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* An assertion whose failure is a finding. */
#define fuzz_require(condition)                                                          \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
				#condition);                                             \
			abort();                                                         \
		}                                                                        \
	} while (0)

#endif
