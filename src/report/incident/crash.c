/* SPDX-License-Identifier: Apache-2.0
 *
 * crash.c - a signal that ended the program, as a report shows it
 *
 * It is no incident: the program has its status from the signal, and nothing is counted.
 */
#include "report/incident/crash.h"

#include "report/incident/incident_parts.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { TITLE = 80 };

static const char *signal_name(int number)
{
	const char *name = sigabbrev_np(number);
	return name ? name : "signal";
}

/* "SEGV on unknown address 0x000000000010", as other sanitizers say it. */
static void title(const struct snag_crash *crash, char buf[TITLE])
{
	const bool is_memory = crash->signal == SIGSEGV || crash->signal == SIGBUS;
	if (is_memory && crash->has_address)
		snprintf(buf, TITLE, "%s on unknown address 0x%012" PRIx64,
			 signal_name(crash->signal), crash->address);
	else
		snprintf(buf, TITLE, "%s", signal_name(crash->signal));
}

void snag_crash_text(const struct snag_incident_report *all, struct snag_printer *to)
{
	const struct snag_crash *crash = all->crash;
	struct snag_report report = *all->report;
	struct snag_incident_report own = *all, *r = &own;
	struct snag_callstack s;
	report.names = crash->names;
	own.report = &report;
	char words[TITLE];
	title(crash, words);
	snag_callstack_read(crash->names, crash->loc, &s);
	snag_printf(to, "==================\nERROR: %s: %s (pid=%d)\n  The signal met ", r->tool,
		    words, r->pid);
	snag_text_thread(to, r, crash->thread);
	snag_print(to, " at:\n");
	snag_text_stack(to, r, &s);
	snag_printf(to, "SUMMARY: %s: %s ", r->tool, signal_name(crash->signal));
	snag_text_place(to, r, &s.frame[0]);
	snag_print(to, " in ");
	snag_print_name(to, s.frame[0].function ? s.frame[0].function : "<null>");
	snag_print(to, "\n==================\n");
	snag_callstack_done(&s);
}

void snag_crash_json(const struct snag_incident_report *r, struct snag_json *j)
{
	const struct snag_crash *crash = r->crash;
	struct snag_callstack s;
	char words[TITLE], address[32];
	title(crash, words);
	snag_callstack_read(crash->names, crash->loc, &s);
	snag_json_object(j, "crash");
	snag_json_uint(j, "signal", (uint64_t)crash->signal);
	snag_json_string(j, "title", words);
	if (crash->has_address) {
		snprintf(address, sizeof(address), "0x%" PRIx64, crash->address);
		snag_json_string(j, "address", address);
	}
	snag_json_string(j, "thread", snag_name(crash->names, SNAG_SPACE_THREAD, crash->thread));
	snag_json_stack(j, "stack", &s);
	snag_json_end(j);
	snag_callstack_done(&s);
}
