/* SPDX-License-Identifier: Apache-2.0
 *
 * served.h - messages of a program that forks itself for each schedule (runtime/sched/server.h)
 *
 * The tool and the program have the two ends of a socket that keeps messages apart.  The tool sends
 * options as text, as in SNAG_OPTIONS, without a NUL; the program sends struct rt_served.
 */
#ifndef SNAG_RUNTIME_SERVED_H
#define SNAG_RUNTIME_SERVED_H

#include <stdint.h>

enum { RT_SERVED_OPTIONS = 1024 }; /* the longest text of options */

enum rt_served_kind {
	RT_SERVED_READY,   /* records, events */
	RT_SERVED_REFUSED, /* value: enum rt_refusal; the program continues by itself */
	RT_SERVED_STARTED, /* value: pid of the child */
	RT_SERVED_ENDED,   /* value: its status, as of waitpid */
	RT_SERVED_FAILED,  /* value: the error number of fork */
};

/* Why a program cannot serve: runs of its children would differ from those of processes. */
enum rt_refusal {
	RT_REFUSAL_THREADS,  /* it has threads that the runtime did not see */
	RT_REFUSAL_CHILDREN, /* it has children, which only it can wait for */
	RT_REFUSAL_FILES,    /* it has pipes or sockets open */
	RT_REFUSAL_MEMORY,   /* it has memory that its children would share */
	RT_REFUSAL_TASKS,    /* it launches tasks; the program ends */
	RT_REFUSALS
};

struct rt_served {
	uint32_t kind;
	uint32_t value;
	uint64_t records; /* written to the channel so far */
	uint64_t events;  /* how many events the main thread has made so far */
};

#endif
