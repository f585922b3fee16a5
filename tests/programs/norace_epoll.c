/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread gives to epoll_ctl, another one gets from epoll_wait: here a socket that is not
 * connected, which is ready at once.  In the same way a timer: timerfd_settime comes before read.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int polled, timer, value;

static void *polls(void *result)
{
	struct epoll_event event;
	uint64_t times;
	if (epoll_wait(polled, &event, 1, -1) != 1)
		return NULL;
	*(int *)event.data.ptr += 1;
	if (read(timer, &times, sizeof(times)) == sizeof(times))
		value++;
	return result;
}

int main(void)
{
	struct itimerspec soon = {.it_value.tv_nsec = 1000000};
	pthread_t t;
	polled = epoll_create1(0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_create(&t, NULL, polls, &t);
	int *data = malloc(sizeof(*data));
	*data = 1;
	struct epoll_event event = {.events = 0, .data.ptr = data};
	if (epoll_ctl(polled, EPOLL_CTL_ADD, socket(AF_INET, SOCK_STREAM, 0), &event) != 0)
		return 1;
	value = 1;
	timerfd_settime(timer, 0, &soon, NULL);
	void *result;
	pthread_join(t, &result);
	return result ? *data - 2 + value - 2 : 2;
}
