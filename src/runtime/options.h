/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h - SNAG_OPTIONS=key=value:key=value
 */
#ifndef SNAG_RUNTIME_OPTIONS_H
#define SNAG_RUNTIME_OPTIONS_H

#include <stdint.h>

struct rt_options {
#define NUMBER(name, value, about) int64_t name;
#define SHARED(name, value, about) int64_t name;
#define TEXT(name, value, about) char name[256];
#define TOOL(name, about)
#include "runtime/options.def"
#undef NUMBER
#undef SHARED
#undef TEXT
#undef TOOL
	int64_t channel; /* descriptor of the channel, from SNAG_CHANNEL; -1: none */
};

extern struct rt_options rt_options;

/* Reads the options from the environment. Ends the process with one line if SNAG_OPTIONS is
 * wrong, and after help=1. */
void rt_options_read(void);
/* The same, with this text in place of SNAG_CHANNEL. */
void rt_options_channel(const char *text);
/* Adds options, as the text of SNAG_OPTIONS. */
void rt_options_add(const char *text);
/* Takes SNAG_CHANNEL out of the environment, for the program and those that it starts. */
void rt_options_hide(void);
/* Reports to the recorder the texts of __tsan_default_options() and
 * __tsan_default_suppressions(). */
void rt_options_report(void);
/* The value of a variable of the environment; "" if there is none. */
const char *rt_options_variable(const char *name);

#endif
