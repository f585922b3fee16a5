/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols.h - functions, lines and variables at the addresses of a program
 *
 * The modules (executable and shared libraries) and their load addresses describe the program.
 * libdw reads their contents from the files themselves, in this process and on demand.  A module
 * that is missing or was rebuilt since gives addresses without names, never wrong names.
 */
#ifndef SNAG_REPORT_SYMBOLS_H
#define SNAG_REPORT_SYMBOLS_H

#include "base/error.h"
#include "trace/callstack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_symbols;

struct snag_module {
	const char *path;
	uint64_t bias;		 /* address in memory - address in the file */
	uint64_t start, end;	 /* the addresses it took */
	const uint8_t *build_id; /* NULL: not known */
	size_t build_id_bytes;
};

struct snag_object { /* a global variable */
	const char *name;
	uint64_t start, nbytes;
	const char *module;
};

enum { SNAG_MAX_FRAMES = 32 }; /* functions inlined at one address, and the one they are in */

struct snag_symbols *snag_symbols_new(void);
void snag_symbols_free(struct snag_symbols *symbols); /* accepts NULL */

/* Adds a module.  A negative result means that the file cannot be read, or is not the one that
 * was loaded (*err says which).  Its addresses then have only a module and an offset. */
int snag_symbols_add(struct snag_symbols *symbols, const struct snag_module *module,
		     struct snag_error *err);

/* Returns the functions at a code address, innermost first; at least one.  For a return address,
 * pass the address before it.  The strings live as long as the symbols. */
size_t snag_symbols_frames(struct snag_symbols *symbols, uint64_t address,
			   struct snag_frame ret_frame[SNAG_MAX_FRAMES]);

/* Returns whether the function is one of snag's headers for programs (<snag/task.h> and the like).
 * Stacks leave it out: its caller is the line that the user knows. */
bool snag_frame_is_of_header(const struct snag_frame *frame);

/* Finds the global variable at an address of data. */
bool snag_symbols_object(struct snag_symbols *symbols, uint64_t address,
			 struct snag_object *ret_object);

#endif
