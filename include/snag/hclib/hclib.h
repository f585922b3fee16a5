/* SPDX-License-Identifier: Apache-2.0
 *
 * hclib.h - the calls that C programs written for hclib use, on top of <snag/task.h>
 *
 * Compile with -I.../include/snag/hclib and link with -lsnag_task: the program then runs in
 * parallel by itself, and depth first under `snag run`.  Locales (there is one) and module
 * dependencies are accepted and ignored.
 */
#ifndef HCLIB_H_
#define HCLIB_H_

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snag/task.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NO_PROP 0
#define NO_ARG NULL
#define NO_DATUM NULL
#define NO_FUTURE NULL
#define NO_PHASER NULL
#define ANY_PLACE NULL
#define NO_ACCUM NULL

typedef void (*async_fct_t)(void *arg);
typedef void (*generic_frame_ptr)(void *arg);
typedef void *(*future_fct_t)(void *arg);

typedef struct _hclib_locale_t { /* there is one */
	int id;
	unsigned type;
	const char *lbl;
} hclib_locale_t;

SNAG_API void hclib_launch(async_fct_t function, void *arg, const char **deps, int ndeps);
SNAG_API int hclib_get_num_workers(void);
SNAG_API int hclib_get_current_worker(void);
SNAG_API unsigned long long hclib_current_time_ns(void);
SNAG_API unsigned long long hclib_current_time_ms(void);

struct hclib_promise_st;

typedef struct _hclib_future_t {
	struct hclib_promise_st *owner;
} hclib_future_t;

typedef struct hclib_promise_st {
	hclib_future_t future;
	struct snag_promise promise;
} hclib_promise_t;

SNAG_API hclib_promise_t *hclib_promise_create(void);
SNAG_API void hclib_promise_init(hclib_promise_t *promise);
SNAG_API void hclib_promise_free(hclib_promise_t *promise);
SNAG_API void hclib_promise_put(hclib_promise_t *promise, void *datum); /* once */
SNAG_API hclib_future_t *hclib_get_future_for_promise(hclib_promise_t *promise);

/* An array of pointers to n promises, the last of which is NULL if so asked. */
SNAG_API hclib_promise_t **hclib_promise_create_n(size_t n, int null_terminated);
SNAG_API void hclib_promise_free_n(hclib_promise_t **promises, size_t n, int null_terminated);

SNAG_API void *hclib_future_wait(hclib_future_t *future); /* for its datum */
SNAG_API void *hclib_future_get(hclib_future_t *future);  /* the same */
SNAG_API int hclib_future_is_satisfied(hclib_future_t *future);

/* A task that begins when all of the futures are satisfied (NULL: none). */
SNAG_API void hclib_async(generic_frame_ptr function, void *arg, hclib_future_t **futures,
			  int nfutures, hclib_locale_t *locale);
/* A task with an argument of its own: `arg`, or with `copy` a copy of these bytes. */
SNAG_API void hclib_async_bytes(generic_frame_ptr function, void *arg, const void *copy,
				size_t nbytes);
SNAG_API void hclib_async_nb(generic_frame_ptr function, void *arg, hclib_locale_t *locale);
SNAG_API hclib_future_t *hclib_async_future(future_fct_t function, void *arg,
					    hclib_future_t **futures, int nfutures,
					    hclib_locale_t *locale);

SNAG_API void hclib_yield(hclib_locale_t *locale); /* runs the task created last, if it waits */

SNAG_API void hclib_start_finish(void);
SNAG_API void hclib_end_finish(void);
/* The same without waiting: the future is satisfied when it would have ended, as far as it is
 * about tasks of hclib's functions. */
SNAG_API hclib_future_t *hclib_end_finish_nonblocking(void);
SNAG_API void hclib_end_finish_nonblocking_helper(hclib_promise_t *event); /* puts this one */

SNAG_API int hclib_get_num_locales(void);
SNAG_API hclib_locale_t *hclib_get_all_locales(void);
SNAG_API hclib_locale_t *hclib_get_closest_locale(void);
SNAG_API hclib_locale_t *hclib_get_master_place(void);
SNAG_API hclib_locale_t *hclib_get_central_place(void);

/* Tasks; the datum of the first two is the memory. */
SNAG_API hclib_future_t *hclib_allocate_at(size_t nbytes, hclib_locale_t *locale);
SNAG_API hclib_future_t *hclib_reallocate_at(void *ptr, size_t nbytes, hclib_locale_t *locale);
SNAG_API hclib_future_t *hclib_memset_at(void *ptr, int byte, size_t nbytes,
					 hclib_locale_t *locale);
SNAG_API void hclib_free_at(void *ptr, hclib_locale_t *locale);

/* A task that copies when the futures are satisfied, of which with this `from` there is one. */
#define HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC ((void *)1)
SNAG_API hclib_future_t *hclib_async_copy(hclib_locale_t *to_locale, void *to,
					  hclib_locale_t *from_locale, void *from, size_t nbytes,
					  hclib_future_t **futures, int nfutures);

typedef struct {
	int low, high, stride; /* low, low + stride, ... below high */
	int tile;	       /* so many iterations are one task; -1: as seems good */
} hclib_loop_domain_t;

/* Returns the tile of a domain; of one without a tile, the number of iterations that suits. */
SNAG_API int hclib_loop_tile(const hclib_loop_domain_t *domain);

typedef int forasync_mode_t;
#define FORASYNC_MODE_FLAT 0
#define FORASYNC_MODE_RECURSIVE 1

typedef void (*forasync1D_Fct_t)(void *arg, int i);
typedef void (*forasync2D_Fct_t)(void *arg, int i, int j);
typedef void (*forasync3D_Fct_t)(void *arg, int i, int j, int k);

/* Calls `function`, of the type for `dim` (1 to 3) dimensions, for each element of the domain,
 * in tasks that the enclosing finish waits for.  `arg` must live as long as they do. */
SNAG_API void hclib_forasync(void *function, void *arg, int dim, hclib_loop_domain_t *domain,
			     forasync_mode_t mode);

/* The same; the future is satisfied when all of them have ended. */
SNAG_API hclib_future_t *hclib_forasync_future(void *function, void *arg, int dim,
					       hclib_loop_domain_t *domain, forasync_mode_t mode);

#ifdef __cplusplus
}
#endif

#endif
