/* SPDX-License-Identifier: Apache-2.0
 *
 * format.h - the layout of a .snag file; docs/trace-format.md is the specification
 *
 *   file   := file header, data block*, splits block*, end block
 *   block  := block header, payload
 *   payload:= column*
 *
 *   file header (32 bytes)
 *   0               8       10      12      16      20      24              32
 *   +---------------+-------+-------+-------+-------+-------+---------------+
 *   |     magic     |version|   0   |needed |useful |   0   | hash of 0..24 |
 *   +---------------+-------+-------+-------+-------+-------+---------------+
 *
 *   block header (48 bytes)
 *   0          8      12       16            24      28      32        40        48
 *   +----------+------+--------+-------------+-------+-------+---------+---------+
 *   |   sync   | type | events | first event | stored| plain | hash of | hash of |
 *   |          |      |        |             | bytes | bytes | payload |  0..40  |
 *   +----------+------+--------+-------------+-------+-------+---------+---------+
 *
 *   column header (12 bytes)
 *   0    1          2      4             8              12
 *   +----+----------+------+-------------+--------------+
 *   | id | encoding |  0   | plain bytes | stored bytes |
 *   +----+----------+------+-------------+--------------+
 *
 * All integers are little-endian; hashes are XXH3 (64 bits, seed 0).  Reader and
 * writer change in one commit, which raises SNAG_FORMAT_VERSION.
 */
#ifndef SNAG_TRACE_FORMAT_H
#define SNAG_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not text, and any conversion of line ends damages it. */
#define SNAG_FORMAT_MAGIC "\x89SNAG\r\n\x1a"
#define SNAG_FORMAT_SYNC "\xb5SnagBlk"

enum {
	SNAG_FORMAT_VERSION = 1,
	SNAG_FORMAT_SHARED = 1,	 /* a mandatory feature: names that share bytes */
	SNAG_FORMAT_RUNS = 2,	 /* likewise: events that follow from others */
	SNAG_FORMAT_COUNTED = 4, /* likewise: names that count */
	SNAG_FORMAT_PLACED = 8,	 /* likewise: names of places */
	SNAG_FORMAT_SPLITS = 16, /* likewise: splits, if the file may have some */
	SNAG_FORMAT_ALWAYS = SNAG_FORMAT_SHARED | SNAG_FORMAT_RUNS | SNAG_FORMAT_COUNTED |
			     SNAG_FORMAT_PLACED,		      /* needed by every file */
	SNAG_FORMAT_NEEDED = SNAG_FORMAT_ALWAYS | SNAG_FORMAT_SPLITS, /* known to this reader */

	SNAG_MAGIC_BYTES = 8,
	SNAG_FILE_HEADER_BYTES = 32,
	SNAG_BLOCK_HEADER_BYTES = 48,
	SNAG_COLUMN_HEADER_BYTES = 12,

	/* Bounds that a reader may rely on, and checks before it allocates memory. */
	SNAG_BLOCK_MAX_EVENTS = 65535,	 /* thread and site numbers of a block fit 16 bits */
	SNAG_BLOCK_MAX_TOTAL = 1 << 20,	 /* with the events of its runs */
	SNAG_BLOCK_MAX_BYTES = 64 << 20, /* plain, and stored */
	SNAG_NAME_MAX_BYTES = 1 << 20,
	SNAG_SPACE_MAX_NAMES = 1 << 30,
	SNAG_BLOCK_MAX_SPLITS = 1 << 20,
	SNAG_FORMAT_OPEN = 1, /* a useful feature: a recording that is being written */
};

enum {				 /* of the space of an entry of NAMES */
       SNAG_NAME_SHARED = 0x80,	 /* the name begins like the previous one */
       SNAG_NAME_COUNTED = 0x40, /* successors of the previous name */
       SNAG_NAME_PLACED = 0x20,	 /* a place in the object of another name */
};

/* Returns how many names may be counted in all blocks up to one whose first event has this
 * number. So a small file cannot demand much memory without as much work. */
static inline uint64_t snag_format_counted_max(uint64_t first_event)
{
	return (UINT64_C(1) << 20) + 4 * first_event;
}

enum snag_block_type {
	SNAG_BLOCK_DATA = 1,
	SNAG_BLOCK_END = 2,    /* no payload; first event = number of events in the file, and its
			     * number of events = number of splits in the file */
	SNAG_BLOCK_SPLITS = 3, /* no events; first event as of the end */
};

/* Columns of a payload; each at most once, in ascending order. */
enum snag_column_id {
	SNAG_COLUMN_NAMES = 0,	 /* new names */
	SNAG_COLUMN_THREADS = 1, /* table of the threads of this block */
	SNAG_COLUMN_SWITCH = 2,	 /* + 0..1: byte planes of the thread switches */
	SNAG_COLUMN_SITES = 4,	 /* layout, and table of the sites of this block */
	SNAG_COLUMN_SITE = 5,	 /* + 0..1: byte planes of the site numbers */
	SNAG_COLUMN_TARGET = 7,	 /* + 0..3: byte planes of the targets */
	SNAG_COLUMN_LOC = 11,	 /* + 0..3: byte planes of the locations spelled out */
	SNAG_COLUMN_RUNS = 15,	 /* the events of this block that are in no other column */
	SNAG_COLUMN_SPLITS = 16, /* the only one of a block of splits */
	SNAG_COLUMNS = 17,
};

enum snag_column_encoding {
	SNAG_STORED = 0, /* plain bytes */
	SNAG_ZSTD = 1,	 /* one zstd frame */
};

/* How the events of a block are laid out. */
enum snag_layout {
	SNAG_LAYOUT_FLAT,	    /* in their order; a site is thread switch and operation */
	SNAG_LAYOUT_THREADS,	    /* thread by thread; a site is operation and location */
	SNAG_LAYOUT_THREADS_TAUGHT, /* the same, and the memory of locations learns */
	SNAG_LAYOUTS
};

/* Flat: how a site gives the location of its events. */
enum snag_loc_mode {
	SNAG_LOC_LAST,	  /* the one this (operation, target) had last */
	SNAG_LOC_SECOND,  /* the one it had before that */
	SNAG_LOC_SPELLED, /* the next one of the LOC column */
	SNAG_LOC_MODES
};

/* By thread: what the TARGET column is the difference to, at a site. */
enum snag_base_mode {
	SNAG_BASE_ZERO,	  /* nothing: it is the target */
	SNAG_BASE_THREAD, /* the target this thread had last in this name space */
	SNAG_BASE_SITE,	  /* the target this thread had last at this site */
	SNAG_BASE_MODES
};

/* For each thread of a block, the codec keeps one last target for each site with SNAG_BASE_SITE,
 * and SNAG_LAST_SPACES more.  If these would be more than SNAG_LAST_CELLS in all, no site has
 * SNAG_BASE_SITE. */
enum { SNAG_LAST_SPACES = 8, SNAG_LAST_CELLS = 1 << 16 };

struct snag_block_header {
	uint32_t type;	 /* enum snag_block_type */
	uint32_t events; /* in this block */
	uint64_t first;	 /* number of the first of them */
	uint32_t stored; /* bytes of payload that follow */
	uint32_t plain;	 /* sum of the plain bytes of its columns */
	uint64_t hash;	 /* of the payload */
};

uint64_t snag_format_hash(const void *bytes, size_t n);
void snag_file_header_pack(uint8_t to[static SNAG_FILE_HEADER_BYTES], bool may_have_splits,
			   bool is_open);
void snag_block_header_pack(uint8_t to[static SNAG_BLOCK_HEADER_BYTES],
			    const struct snag_block_header *h);
/* Returns false if the sync marker or the hash is wrong. */
bool snag_block_header_unpack(const uint8_t from[static SNAG_BLOCK_HEADER_BYTES],
			      struct snag_block_header *ret_h);

static inline uint32_t snag_load32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t snag_load64(const uint8_t *p)
{
	return snag_load32(p) | (uint64_t)snag_load32(p + 4) << 32;
}

static inline void snag_store32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline void snag_store64(uint8_t *p, uint64_t v)
{
	snag_store32(p, (uint32_t)v);
	snag_store32(p + 4, (uint32_t)(v >> 32));
}

#endif
