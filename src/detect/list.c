/* SPDX-License-Identifier: Apache-2.0
 *
 * list.c - the detectors by name
 */
#include "detect/detector.h"

#include <string.h>

#define DETECTOR(name) extern const struct snag_detector snag_detector_##name;
#include "detect/list.def"
#undef DETECTOR

const struct snag_detector *const snag_detectors[] = {
#define DETECTOR(name) &snag_detector_##name,
#include "detect/list.def"
#undef DETECTOR
	NULL,
};

const struct snag_detector *snag_detector_find(const char *name, size_t len)
{
	for (const struct snag_detector *const *d = snag_detectors; *d; d++)
		if (strlen((*d)->name) == len && memcmp((*d)->name, name, len) == 0)
			return *d;
	return NULL;
}
