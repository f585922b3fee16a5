/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_suppressions.c - any bytes as a suppression file, matched against one race
 */
#include "fuzz.h"
#include "report/incident/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct snag_frame frame = {.function = "Function(int)",
					 .file = "/src/file.c",
					 .module = "/bin/program",
					 .line = 7};
	const struct snag_suppressible race = {.frame = {&frame, &frame},
					       .frames = {1, 1},
					       .variable = "global+0x8",
					       .id = "R-12345678"};
	struct snag_suppressions *s = snag_suppressions_new();
	struct snag_error err = {0};
	if (snag_suppressions_add(s, "input", n ? (const char *)bytes : "", n, &err) < 0)
		fuzz_require(err.msg[0]);
	else
		snag_suppressions_match(s, &race);
	snag_suppressions_free(s);
	return 0;
}
