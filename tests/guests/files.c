/* Guests that use files, pipes, sockets and polling. */
#include "guest.h"

#include <aio.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

static char buffer[256];

static void *writes_late(void *fd)
{
	nap(50);
	write((int)(long)fd, "late", 4);
	close((int)(long)fd);
	return NULL;
}

int pipe_answers(void)
{
	int ends[2];
	struct iovec parts[2] = {{buffer, 2}, {buffer + 10, 5}};
	pipe(ends);
	pthread_t t = start(writes_late, (void *)(long)ends[1]);
	SAY(readv(ends[0], parts, 2));
	SAY(read(ends[0], buffer, 4));
	end_of(t);
	SAY(read(-1, buffer, 4));
	SAY(write(ends[1], buffer, 4));
	pipe2(ends, O_NONBLOCK);
	SAY(read(ends[0], buffer, 4));
	long n = 0;
	while (write(ends[1], buffer, sizeof(buffer)) > 0)
		n++;
	say("parts in the pipe", n);
	SAY(write(ends[1], buffer, sizeof(buffer)));
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	SAY(write(ends[1], buffer, 4));
	return 0;
}

static void *opens_for_writing(void *path)
{
	int fd = open(path, O_WRONLY);
	write(fd, "through", 7);
	close(fd);
	return NULL;
}

/* Both ends of a FIFO wait for each other in open(). */
int fifo(void)
{
	char path[] = "fifo.guest";
	unlink(path);
	SAY(mkfifo(path, 0600));
	pthread_t t = start(opens_for_writing, path);
	int fd = open(path, O_RDONLY);
	say("read", read(fd, buffer, sizeof(buffer)));
	end_of(t);
	SAY(read(fd, buffer, sizeof(buffer)));
	SAY(unlink(path));
	return 0;
}

int poll_answers(void)
{
	int ends[2];
	struct pollfd fds[2];
	struct timeval time = {0, 30000};
	fd_set readable;
	pipe(ends);
	fds[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	fds[1] = (struct pollfd){.fd = 999, .events = POLLIN};
	SAY(poll(fds, 1, 10));
	SAY(poll(fds, 2, 10));
	say("no descriptor", fds[1].revents == POLLNVAL);
	SAY(poll(NULL, 0, 10));
	FD_ZERO(&readable);
	FD_SET(ends[0], &readable);
	SAY(select(ends[0] + 1, &readable, NULL, NULL, &time));
	say("time left", time.tv_sec + time.tv_usec);
	SAY(select(-1, NULL, NULL, NULL, &time));
	pthread_t t = start(writes_late, (void *)(long)ends[1]);
	FD_SET(ends[0], &readable);
	SAY(select(ends[0] + 1, &readable, NULL, NULL, NULL));
	end_of(t);
	return 0;
}

int epoll_answers(void)
{
	int event = eventfd(0, EFD_NONBLOCK), set = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = 5}, got;
	uint64_t one = 1;
	SAY(epoll_ctl(set, EPOLL_CTL_ADD, event, &e) == 0);
	SAY(epoll_ctl(set, EPOLL_CTL_ADD, event, &e) == 0);
	SAY(epoll_wait(set, &got, 1, 10));
	SAY(epoll_wait(set, &got, 0, 10));
	SAY(write(event, &one, 8));
	SAY(epoll_wait(set, &got, 1, -1));
	say("data", got.data.u32);
	SAY(read(event, &one, 8));
	SAY(read(event, &one, 8));
	return 0;
}

int socket_descriptors(void)
{
	int ends[2], got = -1;
	char control[CMSG_SPACE(sizeof(int))] = "", text[] = "with a descriptor";
	struct iovec part = {text, sizeof(text)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	SAY(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &ends[0], sizeof(int));
	SAY(sendmsg(ends[0], &m, 0));
	memset(control, 0, sizeof(control));
	SAY(recvmsg(ends[1], &m, 0));
	memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	say("a descriptor", got > ends[1]);
	SAY(send(got, "x", 1, 0));
	SAY(recv(ends[1], buffer, sizeof(buffer), 0));
	return 0;
}

int socket_answers(void)
{
	int ends[2];
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "no.such.socket"};
	struct timeval time = {0, 20000};
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	SAY(send(ends[0], "xyz", 3, 0));
	SAY(recv(ends[1], buffer, sizeof(buffer), MSG_PEEK));
	SAY(recv(ends[1], buffer, sizeof(buffer), 0));
	SAY(recv(ends[1], buffer, sizeof(buffer), MSG_DONTWAIT));
	SAY(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)));
	SAY(recv(ends[0], buffer, sizeof(buffer), 0));
	SAY(shutdown(ends[0], SHUT_WR));
	SAY(recv(ends[1], buffer, sizeof(buffer), 0));
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	SAY(connect(s, (struct sockaddr *)&name, sizeof(name)));
	SAY(accept(s, NULL, NULL));
	return 0;
}

static sem_t tried;

static void *locks_file(void *path)
{
	int fd = open(path, O_RDWR);
	SAY(flock(fd, LOCK_EX | LOCK_NB));
	sem_post(&tried);
	int rc = flock(fd, LOCK_EX);
	close(fd);
	return rc == 0 ? path : NULL;
}

int file_locks(void)
{
	char path[] = "lock.guest";
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	SAY(flock(fd, LOCK_EX));
	sem_init(&tried, 0, 0);
	pthread_t t = start(locks_file, path);
	sem_wait(&tried);
	SAY(flock(fd, LOCK_UN));
	say("locked", end_of(t) == path);
	SAY(fcntl(fd, F_SETLK, &all));
	pid_t child = fork();
	if (child == 0) {
		SAY(fcntl(fd, F_SETLK, &all));
		SAY(lockf(fd, F_TEST, 0));
		exit(0);
	}
	say_end("child", child_end(child));
	unlink(path);
	return 0;
}

static int completed;

static void on_completion(union sigval value)
{
	__atomic_store_n(&completed, value.sival_int, __ATOMIC_SEQ_CST);
}

int aio_answers(void)
{
	char path[] = "aio.guest", text[] = "asynchronous";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct aiocb w = {.aio_fildes = fd, .aio_buf = text, .aio_nbytes = sizeof(text)}, r = w;
	const struct aiocb *list[] = {&w};
	w.aio_sigevent.sigev_notify = SIGEV_NONE;
	SAY(aio_write(&w));
	while (aio_error(&w) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	SAY(aio_return(&w));
	r.aio_buf = buffer;
	r.aio_sigevent = (struct sigevent){.sigev_notify = SIGEV_THREAD,
					   .sigev_notify_function = on_completion,
					   .sigev_value.sival_int = 8};
	SAY(aio_read(&r));
	while (!__atomic_load_n(&completed, __ATOMIC_SEQ_CST))
		nap(5);
	say("completed", completed);
	SAY(aio_return(&r));
	puts(buffer);
	unlink(path);
	return 0;
}

int copies(void)
{
	int from = open("from.guest", O_RDWR | O_CREAT | O_TRUNC, 0600), ends[2];
	off_t at = 2;
	pipe(ends);
	SAY(write(from, "0123456789", 10));
	SAY(pread(from, buffer, 4, 3));
	SAY(pwrite(from, "ab", 2, 0));
	SAY(sendfile(ends[1], from, &at, 5));
	say("offset", at);
	SAY(read(ends[0], buffer, 100));
	SAY(lseek(from, 0, SEEK_SET));
	SAY(splice(from, NULL, ends[1], NULL, 4, 0));
	SAY(read(ends[0], buffer, 100));
	printf("%.4s\n", buffer);
	SAY(ftruncate(from, 3));
	char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, from, 0);
	printf("%s\n", map);
	SAY(munmap(map, 4096));
	SAY(munmap(map + 1, 4096));
	unlink("from.guest");
	return 0;
}
