/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.h - the options of the trace generator as command-line arguments
 */
#ifndef SNAG_BENCH_ARGUMENTS_H
#define SNAG_BENCH_ARGUMENTS_H

#include <stdio.h>

#include "bench/generate.h"

/* A whole number, with k, M or G behind it for thousands, millions, ...; false: not one. */
bool snag_arguments_number(const char *text, uint64_t *ret_number);

/* Sets the option called `name` ("--events") to `value` ("10M"). */
int snag_arguments_set(struct snag_generate_options *options, const char *name, const char *value,
		       struct snag_error *err);

/* One line per option with its default. */
void snag_arguments_help(FILE *to);

#endif
