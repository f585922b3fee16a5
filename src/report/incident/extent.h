/* SPDX-License-Identifier: Apache-2.0
 *
 * extent.h - which part of an array or block the races of two lines cover
 *
 * The name of a variable contains its object and its place in it (record/convert/convert.h):
 * "a+12", "heap#3:400@7,T0+12", "T1-0x30".  The variables of one object make a range of bytes.  It
 * is a range of elements if all of them lie at multiples of the size of the access, and their
 * common distance is not larger than that.
 */
#ifndef SNAG_REPORT_EXTENT_H
#define SNAG_REPORT_EXTENT_H

#include "report/printer.h"
#include "trace/names.h"
#include "trace/race.h"

struct snag_extent {
	uint64_t places;	   /* variables of the object; below 2 there is no range */
	int64_t first_byte, bytes; /* from the beginning of the object (of a stack: its top) */
	uint64_t apart;		   /* the greatest common divisor of the distances of the places */
	uint32_t element;	   /* bytes of an element; 0: the places are not elements */
	uint64_t first, last;	   /* elements */
};

/* Returns the extent of the object of `variable`, among `all`. */
struct snag_extent snag_extent_of(const struct snag_names *names, const struct snag_variables *all,
				  uint32_t variable, unsigned size);

/* "a[3..97] (95 elements of 4 bytes)", "bytes 12..391 of a (48 places, 8 bytes apart)". */
void snag_extent_text(const struct snag_extent *x, const struct snag_names *names,
		      uint32_t variable, char *buf, size_t room);

#endif
