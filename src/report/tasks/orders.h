/* SPDX-License-Identifier: Apache-2.0
 *
 * orders.h - the result of running a program in all orders of its isolated blocks
 */
#ifndef SNAG_REPORT_ORDERS_H
#define SNAG_REPORT_ORDERS_H

#include "report/tasks/certificate.h"

enum { SNAG_ORDERS_STATUSES = 8 };

struct snag_orders {
	uint64_t orders;    /* run to their ends, all different */
	uint64_t redundant; /* runs that repeated others */
	const char *gap;    /* why there may be more orders, in words; NULL: there are none */
	bool has_race;	    /* the last of them */
	bool has_deadlock;  /* likewise */
	bool of_locks;	    /* what is in order are critical sections, not isolated blocks */
	bool of_all;	    /* in a program of <snag/task.h> also locks and atomics */
	double seconds;
	/* How the program ended, and in how many orders; statuses after the first few different
	 * ones are counted together. */
	struct snag_orders_status {
		int status;
		uint64_t n;
	} status[SNAG_ORDERS_STATUSES];
	size_t nstatuses;
	struct snag_certificate certificate; /* obstacles that the orders do not remove */
};

void snag_orders_ended(struct snag_orders *o, int status);

/* Prints the verdict, in one line or a few. */
void snag_orders_text(const struct snag_orders *o, const struct snag_names *names, const char *tool,
		      struct snag_printer *to);
/* The member "explore". */
void snag_orders_json(const struct snag_orders *o, struct snag_json *j);

#endif
