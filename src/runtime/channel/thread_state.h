/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_state.h - the ring to which a thread writes its records, if threads run in parallel
 */
#ifndef SNAG_RUNTIME_CHANNEL_THREAD_STATE_H
#define SNAG_RUNTIME_CHANNEL_THREAD_STATE_H

#include <stdint.h>

struct rt_ring;
struct rt_filter;
struct rt_run;
struct rt_place;

struct rt_lane { /* lane.h */
	struct rt_ring *ring;
	uint64_t n, limit; /* records written; up to here there is room */
	uint32_t index;	   /* the number of the ring */
	uint32_t told;	   /* the fuel that the last record has which has one */
	int64_t fuel;	   /* the fuel when the thread begins, or continues as a fiber */
	/* Belong to the lane, and are used again with the ring: */
	struct rt_filter *filter;
	struct rt_run *run;
	struct rt_place *places;
};

#endif
