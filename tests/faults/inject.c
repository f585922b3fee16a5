/* SPDX-License-Identifier: Apache-2.0
 *
 * inject.c - makes one call of the C library fail, to test what snag does then
 *
 * Idea.   A shared library for LD_PRELOAD.  It counts the calls of one kind that the snag process
 *         makes, and lets call number N fail.  The tests run a command once for every N.
 * Rules.  FAULT=KIND:N:HOW.  KIND is alloc (malloc, calloc, realloc, posix_memalign), write, read,
 *         open, rename or sync.  HOW is an errno by name, or `short`: read and write transfer one
 *         byte.  N is 0: no call fails.  FAULT_COUNT names a file that gets the number of calls
 *         and the letter F if one of them failed.
 *         Only the process whose name is FAULT_PROGRAM (default snag) takes part.  A child of
 *         fork() counts on its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { KIND_NONE, KIND_ALLOC, KIND_WRITE, KIND_READ, KIND_OPEN, KIND_RENAME, KIND_SYNC };

static struct {
	enum kind kind;
	long number; /* of the call that fails; 0: none */
	int error;   /* its errno; 0: a short transfer */
	const char *count_file;
	atomic_long count;
	atomic_bool has_failed;
	pid_t pid;
} fault;

static enum kind kind_of(const char *text)
{
	static const char *const names[] = {"none", "alloc",  "write", "read",
					    "open", "rename", "sync"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0 && text[strlen(names[i])] == ':')
			return (enum kind)i;
	return KIND_NONE;
}

static int error_of(const char *text)
{
	static const struct {
		const char *name;
		int number;
	} errors[] = {{"ENOMEM", ENOMEM}, {"EINTR", EINTR},   {"EIO", EIO},
		      {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE}, {"short", 0}};
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (strcmp(text, errors[i].name) == 0)
			return errors[i].number;
	return EIO;
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FAULT"), *program = getenv("FAULT_PROGRAM");
	const char *number = text ? strchr(text, ':') : NULL;
	const char *how = number ? strchr(number + 1, ':') : NULL;
	if (!how || strcmp(program_invocation_short_name, program ? program : "snag") != 0)
		return;
	fault.number = strtol(number + 1, NULL, 10);
	fault.error = error_of(how + 1);
	fault.count_file = getenv("FAULT_COUNT");
	fault.pid = getpid();
	fault.kind = kind_of(text);
}

/* Written at once when a call fails, because the process may end by _exit() or a signal. */
static void report(void)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%ld%s\n", atomic_load(&fault.count),
			 atomic_load(&fault.has_failed) ? " F" : "");
	int fd = fault.count_file ? (int)syscall(SYS_openat, AT_FDCWD, fault.count_file,
						 O_WRONLY | O_CREAT | O_TRUNC, 0666)
				  : -1;
	if (fd < 0)
		return;
	syscall(SYS_write, fd, text, n);
	syscall(SYS_close, fd);
}

__attribute__((destructor)) static void end(void)
{
	if (fault.kind != KIND_NONE && getpid() == fault.pid)
		report();
}

/* Counts a call of this kind.  Returns true if it is the one that fails. */
static bool fails(enum kind kind)
{
	if (fault.kind != kind || atomic_fetch_add(&fault.count, 1) + 1 != fault.number)
		return false;
	atomic_store(&fault.has_failed, true);
	report();
	errno = fault.error;
	return true;
}

extern void *__libc_malloc(size_t nbytes);
extern void *__libc_calloc(size_t n, size_t elem);
extern void *__libc_realloc(void *p, size_t nbytes);
extern void *__libc_memalign(size_t alignment, size_t nbytes);

void *malloc(size_t nbytes)
{
	return fails(KIND_ALLOC) ? NULL : __libc_malloc(nbytes);
}

void *calloc(size_t n, size_t elem)
{
	return fails(KIND_ALLOC) ? NULL : __libc_calloc(n, elem);
}

void *realloc(void *p, size_t nbytes)
{
	return fails(KIND_ALLOC) ? NULL : __libc_realloc(p, nbytes);
}

int posix_memalign(void **p, size_t alignment, size_t nbytes)
{
	if (fails(KIND_ALLOC))
		return ENOMEM;
	*p = __libc_memalign(alignment, nbytes);
	return *p ? 0 : ENOMEM;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	if (fails(KIND_WRITE) && (fault.error || n == 0))
		return fault.error ? -1 : 0;
	bool is_short = fault.kind == KIND_WRITE && !fault.error &&
			atomic_load(&fault.count) == fault.number;
	return syscall(SYS_write, fd, bytes, is_short ? 1 : n);
}

ssize_t read(int fd, void *bytes, size_t n)
{
	if (fails(KIND_READ) && (fault.error || n == 0))
		return fault.error ? -1 : 0;
	bool is_short = fault.kind == KIND_READ && !fault.error &&
			atomic_load(&fault.count) == fault.number;
	return syscall(SYS_read, fd, bytes, is_short ? 1 : n);
}

static int open_with(int folder, const char *path, int flags, va_list rest)
{
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
	return fails(KIND_OPEN) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	int fd = open_with(AT_FDCWD, path, flags, rest);
	va_end(rest);
	return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char *path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	int fd = open_with(folder, path, flags, rest);
	va_end(rest);
	return fd;
}

int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));

int rename(const char *from, const char *to)
{
	return fails(KIND_RENAME) ? -1 : (int)syscall(SYS_rename, from, to);
}

int fsync(int fd)
{
	return fails(KIND_SYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}
