/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress_terms.c - the terms of a suppression
 */
#include "report/incident/suppress_terms.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const term_name[SNAG_TERMS] = {"reason", "owner", "expires"};
static const char todo[] = "TODO";

static long today(void)
{
	time_t now = time(NULL);
	struct tm day;
	gmtime_r(&now, &day);
	return (day.tm_year + 1900) * 10000L + (day.tm_mon + 1) * 100 + day.tm_mday;
}

/* Returns 20270331 for "2027-03-31", or 0. */
static long date_of(const char *text, size_t n)
{
	char copy[11] = "";
	int year, month, day, end = 0;
	if (n != 10)
		return 0;
	memcpy(copy, text, n);
	if (sscanf(copy, "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3 || end != 10 ||
	    month < 1 || month > 12 || day < 1 || day > 31)
		return 0;
	return year * 10000L + month * 100 + day;
}

static int value_take(struct snag_terms *t, enum snag_term term, const char *name, uint64_t line,
		      const char *value, size_t n, struct snag_error *err)
{
	if (!n || (n == sizeof(todo) - 1 && memcmp(value, todo, n) == 0))
		return snag_fail(err, SNAG_EINPUT, "%s:%llu: %s: fill this in", name,
				 (unsigned long long)line, term_name[term]);
	if (term == SNAG_TERM_EXPIRES) {
		long last = date_of(value, n);
		if (!last)
			return snag_fail(err, SNAG_EINPUT,
					 "%s:%llu: expires: expected a date such as 2027-03-31",
					 name, (unsigned long long)line);
		t->is_over = last < today();
	}
	t->has[term] = true;
	return 0;
}

int snag_terms_take(struct snag_terms *t, const char *name, uint64_t line, const char *text,
		    size_t n, struct snag_error *err)
{
	for (; n && (*text == '#' || *text == ' ' || *text == '\t'); n--)
		text++;
	for (int term = 0; term < SNAG_TERMS; term++) {
		size_t length = strlen(term_name[term]);
		if (n <= length || memcmp(text, term_name[term], length) != 0 ||
		    text[length] != ':')
			continue;
		const char *value = text + length + 1;
		size_t rest = n - length - 1;
		for (; rest && (*value == ' ' || *value == '\t'); rest--)
			value++;
		return value_take(t, (enum snag_term)term, name, line, value, rest, err);
	}
	return 0;
}

int snag_terms_check(const struct snag_terms *t, const char *name, uint64_t line,
		     struct snag_error *err)
{
	bool any = t->has[0] || t->has[1] || t->has[2];
	for (int term = 0; any && term < SNAG_TERMS; term++)
		if (!t->has[term])
			return snag_fail(err, SNAG_EINPUT, "%s:%llu: '# %s: ...' is missing above",
					 name, (unsigned long long)line, term_name[term]);
	return 0;
}

void snag_terms_print(struct snag_printer *to, const char *words, const char *id)
{
	enum { DAYS = 90 };
	time_t end = time(NULL) + DAYS * 86400;
	char date[16];
	struct tm day;
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&end, &day));
	snag_print(to, "# ");
	snag_print_name(to, words);
	snag_printf(to, "\n# reason: %s\n# owner: %s\n# expires: %s\nid:%s\n\n", todo, todo, date,
		    id);
}
