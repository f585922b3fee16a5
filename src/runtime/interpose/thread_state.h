/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_state.h - the part of a thread's state that belongs to the functions in front of the C
 * library
 *
 * Only the thread itself writes these fields.  Exceptions: the fields about its end and its
 * detachment (thread.c).
 */
#ifndef SNAG_RUNTIME_INTERPOSE_THREAD_STATE_H
#define SNAG_RUNTIME_INTERPOSE_THREAD_STATE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct rt_object;

enum { RT_PENDING = 16 }; /* a power of two */
enum { RT_HIDDEN_LOCKS = 8 };

/* The beginning and the end of a thread: thread.c. */
struct rt_life {
	pthread_t handle;
	uint32_t created_at, created_by; /* node and thread */
	uint32_t ncreated;		 /* threads that it has created */
	unsigned ending;		 /* rounds of thread-specific destructors seen */
	bool is_detached;
	struct rt_object *joiners; /* the threads that wait for its end */
	void *(*start)(void *);
	void *start_arg;
	sigset_t mask; /* the signal mask with which it starts */
};

/* Whether the thread is cancelled: cancel.c. */
struct rt_cancel {
	bool was_requested, is_disabled, is_asynchronous;
};

/* The events of the thread that the runtime does not record: annotate.c. */
struct rt_ignoring {
	int accesses; /* how often __tsan_ignore_thread_begin was called without its end */
	uint32_t at;  /* where the outermost of these calls was */
	int sync;     /* AnnotateIgnoreSyncBegin, nested */
};

/* The locks that it holds: lock.c. */
struct rt_held {
	uint32_t n; /* mutexes and spin locks */
	/* Locks that it took while it ignored synchronisation, if threads run in parallel. */
	uint32_t nhidden;
	uintptr_t hidden[RT_HIDDEN_LOCKS];
};

/* Signals: signals.c.  Signals whose handlers run later form a ring, which the thread's own handler
 * fills. */
struct rt_signals {
	int handles; /* the signal whose handler it runs; 0: none */
	int sends;   /* the signal that it sends to itself; 0: none */
	uint32_t kept, run;
	struct rt_pending {
		int signal;
		siginfo_t info;
	} pending[RT_PENDING];
};

#endif
