/* What comes before the cause comes before the effect: handlers, functions of atexit, connections,
 * ends of files, poll and epoll_wait.
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int handled, registered, sent[5];
static pthread_t reader;
static int listener, ends[2], polled[2], watched[2], epoll;

static void on_signal(int number)
{
	handled++;
}

static void at_end(void)
{
	if (++registered != 2)
		_exit(1);
}

static void *sets_up(void *unused)
{
	struct sigaction act = {.sa_handler = on_signal};
	handled = 1;
	sigaction(SIGUSR1, &act, 0);
	registered = 1;
	atexit(at_end);
	pthread_kill(reader, SIGUSR1);
	return unused;
}

static void *serves(void *unused)
{
	char byte;
	struct pollfd one = {.fd = polled[0], .events = POLLIN};
	struct epoll_event event;
	close(accept(listener, 0, 0));
	sent[0]++;
	if (read(ends[0], &byte, 1) != 0)
		_exit(2);
	sent[1]++;
	poll(&one, 1, -1);
	sent[2]++;
	epoll_wait(epoll, &event, 1, -1);
	sent[3]++;
	return unused;
}

static void *asks(void *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	sent[0]++;
	if (connect(fd, address, sizeof(struct sockaddr_un)) != 0)
		_exit(3);
	sent[1]++;
	close(ends[1]);
	sent[2]++;
	if (write(polled[1], "x", 1) != 1)
		_exit(4);
	sent[3]++;
	shutdown(watched[1], SHUT_RDWR);
	close(fd);
	return 0;
}

static void listen_at(struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	strcpy(address->sun_path + 1, "snag-norace-order-");
	for (int i = 0, n = getpid(); n; n /= 10, i++)
		address->sun_path[19 + i] = '0' + n % 10;
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)address, sizeof(*address)) != 0 ||
	    listen(listener, 1) != 0)
		_exit(5);
}

int main(void)
{
	struct sockaddr_un address;
	struct epoll_event event = {.events = EPOLLIN};
	pthread_t t[3];
	reader = pthread_self();
	listen_at(&address);
	epoll = epoll_create1(0);
	if (pipe(ends) != 0 || pipe(polled) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, watched) != 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, watched[0], &event) != 0)
		return 6;
	pthread_create(&t[0], 0, sets_up, 0);
	pthread_create(&t[1], 0, serves, 0);
	pthread_create(&t[2], 0, asks, &address);
	pthread_join(t[1], 0);
	pthread_join(t[2], 0);
	/* T1 is not joined: nothing but the signal and atexit say that it has been there. */
	pthread_detach(t[0]);
	usleep(20000);
	return 0;
}
