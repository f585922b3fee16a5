/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread calls the function of the C library that the argument names, another one writes what
 * it reads, or reads what it writes: a race for each of them.  Without an argument: their names.
 * With "locked" behind it both hold a mutex, and there is none.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char text[64] = "some text", to[64] = "more";
static volatile long sink;
static time_t zero;
static char digits[32];
static int fd[2];
static FILE *file;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void print(char *at, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(at, 64, format, arguments);
	va_end(arguments);
}

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static struct iovec part = {text, 8}, room = {to, 8};
static struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1},
		     answer = {.msg_iov = &room, .msg_iovlen = 1};

#define CALLS(READS, WRITES)                                               \
	READS(strlen, sink = (long)strlen(text))                           \
	READS(strnlen, sink = (long)strnlen(text, 20))                     \
	READS(strcmp, sink = strcmp(text, "some texts"))                   \
	READS(strncmp, sink = strncmp(text, "some texts", 9))              \
	READS(strcasecmp, sink = strcasecmp(text, "SOME texts"))           \
	READS(strncasecmp, sink = strncasecmp(text, "SOME texts", 9))      \
	READS(strchr, sink = (long)strchr(text, 'x'))                      \
	READS(strrchr, sink = (long)strrchr(text, 's'))                    \
	READS(strstr, sink = (long)strstr(text, "text"))                   \
	READS(strspn, sink = (long)strspn(text, "somet "))                 \
	READS(strcspn, sink = (long)strcspn(text, "x"))                    \
	READS(strpbrk, sink = (long)strpbrk(text, "xyz"))                  \
	READS(strdup, sink = (long)strdup(text))                           \
	READS(strndup, sink = (long)strndup(text, 8))                      \
	READS(memcmp, sink = memcmp(text, "some texts", 9))                \
	READS(memchr, sink = (long)memchr(text, 'x', 20))                  \
	READS(memmem, sink = (long)memmem(text, 20, "ext", 3))             \
	READS(fputs, fputs(text, file))                                    \
	READS(puts, puts(text))                                            \
	READS(fwrite, fwrite(text, 1, 8, file))                            \
	READS(printf, printf("%d %s\n", 1, text))                          \
	READS(fprintf, fprintf(file, "%*d%.8s", 3, 1, text))               \
	READS(dprintf, dprintf(fd[1], "%Lf %s", 1.0L, text))               \
	READS(sscanf, sink = sscanf(text, "%*s"))                          \
	READS(write, sink = write(fd[1], text, 8))                         \
	READS(writev, sink = writev(fd[1], &part, 1))                      \
	READS(send, sink = send(fd[1], text, 8, 0))                        \
	READS(sendmsg, sink = sendmsg(fd[1], &message, 0))                 \
	WRITES(strcpy, strcpy(to, text))                                   \
	WRITES(stpcpy, stpcpy(to, text))                                   \
	WRITES(strncpy, strncpy(to, text, 8))                              \
	WRITES(strcat, strcat(to, text))                                   \
	WRITES(strncat, strncat(to, text, 3))                              \
	WRITES(mempcpy, mempcpy(to, text, 8))                              \
	WRITES(memcpy, memcpy(to, text, 8))                                \
	WRITES(memmove, memmove(to, text, 8))                              \
	WRITES(memset, memset(to, 1, 8))                                   \
	WRITES(sprintf, sprintf(to, "%d digits", (int)sink))               \
	WRITES(snprintf, snprintf(to, sizeof(to), "%d digits", (int)sink)) \
	WRITES(vsnprintf, print(to, "%d digits", (int)sink))               \
	WRITES(sscan, sink = sscanf("7 abcdefgh", "%*d %8s", to))          \
	WRITES(scanned, sink = sscanf("7", "%ld", (long *)to))             \
	WRITES(printed, sink = sprintf(digits, "%d%ln", 1, (long *)to))    \
	WRITES(qsort, qsort(to, 8, 1, compare))                            \
	WRITES(pipe, sink = pipe((int *)to))                               \
	WRITES(rand_r, sink = rand_r((unsigned *)(to + 4)))                \
	WRITES(readlink, sink = readlink("/proc/self/exe", to, 60))        \
	WRITES(strerror_r, strerror_r(-1, to, sizeof(to)))                 \
	WRITES(clock_gettime, clock_gettime(CLOCK_REALTIME, (void *)to))   \
	WRITES(gettimeofday, gettimeofday((void *)to, 0))                  \
	WRITES(time, sink = time((time_t *)to))                            \
	WRITES(gmtime_r, gmtime_r(&zero, (struct tm *)to))                 \
	WRITES(inet_ntop, inet_ntop(AF_INET, "\1\1\1\1", to, sizeof(to)))  \
	WRITES(fread, sink = (long)fread(to, 1, 8, file))                  \
	WRITES(fgets, sink = (long)fgets(to, 9, file))                     \
	WRITES(read, sink = read(fd[0], to, 8))                            \
	WRITES(readv, sink = readv(fd[0], &room, 1))                       \
	WRITES(recv, sink = recv(fd[0], to, 8, 0))                         \
	WRITES(recvmsg, sink = recvmsg(fd[0], &answer, 0))

#define CASE(name, statement)         \
	static void call_##name(void) \
	{                             \
		statement;            \
	}
CALLS(CASE, CASE)

static const struct {
	const char *name;
	void (*call)(void);
	int writes;
} calls[] = {
#define READ_ROW(name, statement) {#name, call_##name, 0},
#define WRITE_ROW(name, statement) {#name, call_##name, 1},
	CALLS(READ_ROW, WRITE_ROW)};

enum { N = sizeof(calls) / sizeof(calls[0]) };
static int at, is_locked;

static void *does(void *arg)
{
	if (is_locked)
		pthread_mutex_lock(&mutex);
	calls[at].call();
	if (is_locked)
		pthread_mutex_unlock(&mutex);
	return arg;
}

static void *meets(void *arg)
{
	if (is_locked)
		pthread_mutex_lock(&mutex);
	if (calls[at].writes)
		sink = to[6];
	else
		text[6] = 'e';
	if (is_locked)
		pthread_mutex_unlock(&mutex);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	if (argc < 2) {
		for (int i = 0; i < N; i++)
			printf("%s\n", calls[i].name);
		return 0;
	}
	while (at < N && strcmp(calls[at].name, argv[1]))
		at++;
	is_locked = argc > 2;
	file = tmpfile();
	if (at == N || !file || socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) ||
	    write(fd[1], "12345678", 8) != 8 || fputs("12345678\n", file) < 0)
		return 1;
	rewind(file);
	pthread_create(&t[0], NULL, does, NULL);
	pthread_create(&t[1], NULL, meets, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
