/* SPDX-License-Identifier: Apache-2.0
 *
 * real.h - the functions of the C library behind those that the runtime defines
 *
 * The runtime looks them up when the process begins, before anything can call them (real.c).
 */
#ifndef SNAG_RUNTIME_REAL_H
#define SNAG_RUNTIME_REAL_H

#include "runtime/interpose/fortran.h"

#include <aio.h>
#include <arpa/inet.h>
#include <malloc.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int __xpg_sigpause(int number);

typedef int main_fn(int argc, char **argv, char **environment);

struct rt_real {
#define REAL(type, name, parameters) type(*name) parameters;
#include "runtime/interpose/real.def"
#undef REAL
};

extern struct rt_real rt_real;

void rt_real_begin(void);

#endif
