/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c - one line on the terminal that says how far the work is
 *
 * Drawn at most five times a second, and not at all in the first half second, so
 * that short work shows nothing.
 */
#include "cli/progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define FIRST_SECONDS 0.5
#define EVERY_SECONDS 0.2

void cli_progress_begin(struct cli_progress *p, enum cli_progress_when when)
{
	*p = (struct cli_progress){.on = when == CLI_PROGRESS_ON ||
					 (when == CLI_PROGRESS_AUTO && isatty(STDERR_FILENO))};
	p->start = snag_seconds_now();
	p->last = p->start;
}

/* 950, 12.3 k, 4.56 M, ... */
static void number(double n, char text[16])
{
	static const char unit[] = " kMG";
	int u = 0;
	for (; n >= 999.5 && u < 3; u++)
		n /= 1000;
	snprintf(text, 16,
		 u == 0	   ? "%.0f"
		 : n < 10  ? "%.2f %c"
		 : n < 100 ? "%.1f %c"
			   : "%.0f %c",
		 n, unit[u]);
}

/* Whether it is time to draw. */
static bool is_due(struct cli_progress *p, double *ret_now)
{
	if (!p->on)
		return false;
	*ret_now = snag_seconds_now();
	if (*ret_now - p->start < FIRST_SECONDS || (p->shown && *ret_now - p->last < EVERY_SECONDS))
		return false;
	p->last = *ret_now;
	p->shown = true;
	return true;
}

/* Shows how much time is left, and ends the line. */
static void show_left(double spent, double part)
{
	if (part > 0 && part <= 1) {
		unsigned left = (unsigned)(spent * (1 - part) / part + 0.5);
		fprintf(stderr, ", %.0f %%, %u:%02u left", part * 100, left / 60, left % 60);
	}
	fputs("\033[K", stderr);
	fflush(stderr);
}

void cli_progress_show(void *progress, uint64_t events, double part)
{
	struct cli_progress *p = progress;
	double now;
	char done[16], rate[16];
	if (!is_due(p, &now))
		return;
	double spent = now - p->start;
	number((double)events, done);
	number((double)events / spent, rate);
	fprintf(stderr, "\r%s events, %s/s", done, rate);
	show_left(spent, part);
}

void cli_progress_decided(void *progress, uint64_t done, uint64_t of)
{
	struct cli_progress *p = progress;
	double now;
	char have[16], want[16];
	if (p->on && (p->decided == 0 || done < p->decided)) /* those of another detector */
		p->deciding = snag_seconds_now();
	p->decided = done;
	if (!is_due(p, &now))
		return;
	number((double)done, have);
	number((double)of, want);
	fprintf(stderr, "\r%s of %s pairs decided", have, want);
	show_left(now - p->deciding, (double)done / (double)of);
}

void cli_progress_orders(struct cli_progress *p, uint64_t orders)
{
	double now;
	char done[16];
	if (!is_due(p, &now))
		return;
	number((double)orders, done);
	fprintf(stderr, "\r%s orders run", done);
	show_left(0, 0);
}

static void schedules_show(const struct cli_progress *p, double now, uint64_t schedules)
{
	char done[16];
	double spent = now - p->start;
	number((double)schedules, done);
	fprintf(stderr, "\r%s schedules, %.0f/s, ", done,
		spent > 0 ? (double)schedules / spent : 0);
}

void cli_progress_schedules(struct cli_progress *p, uint64_t schedules, uint64_t orders, double all)
{
	double now;
	char seen[16], about[16];
	if (!is_due(p, &now))
		return;
	schedules_show(p, now, schedules);
	number((double)orders, seen);
	number(all, about);
	fprintf(stderr, "%s of about %s orders seen", seen, about);
	show_left(0, 0);
}

void cli_progress_classes(struct cli_progress *p, uint64_t schedules, uint64_t classes,
			  uint64_t waiting)
{
	double now;
	char seen[16], left[16];
	if (!is_due(p, &now))
		return;
	schedules_show(p, now, schedules);
	number((double)classes, seen);
	number((double)waiting, left);
	fprintf(stderr, "%s classes, %s runs to make", seen, left);
	show_left(0, 0);
}

void cli_progress_end(struct cli_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
