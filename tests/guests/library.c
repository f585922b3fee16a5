/* Guests of the C library: time, memory, text. */
#include "guest.h"

#include <locale.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <wchar.h>

static long elapsed_ms(const struct timespec *since)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

static void sleeps(void)
{
	struct timespec since, at, time = {0, 40000000};
	clock_gettime(CLOCK_MONOTONIC, &since);
	SAY(nanosleep(&time, NULL));
	say("nanosleep is long enough", elapsed_ms(&since) >= 40);
	clock_gettime(CLOCK_MONOTONIC, &since);
	SAY(usleep(30000));
	say("usleep is long enough", elapsed_ms(&since) >= 30);
	clock_gettime(CLOCK_MONOTONIC, &since);
	at = since;
	at.tv_nsec += 30000000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	SAY(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
	say("clock_nanosleep is long enough", elapsed_ms(&since) >= 30);
}

/* No sleep ends before its time. */
int time_of_sleeps(void)
{
	sleeps();
	return 0;
}

static int is_over;

static void *keeps_busy(void *unused)
{
	volatile long own = 0;
	while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST))
		own++;
	return unused;
}

int time_beside_threads(void)
{
	pthread_t t = start(keeps_busy, NULL);
	sleeps();
	__atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
	end_of(t);
	return 0;
}

static int expired;

static void expires(union sigval value)
{
	__atomic_fetch_add(&expired, value.sival_int, __ATOMIC_SEQ_CST);
}

static void expires_by_signal(int number, siginfo_t *info, void *unused)
{
	__atomic_fetch_add(&expired, info->si_value.sival_int + 100 * (info->si_code == SI_TIMER),
			   __ATOMIC_SEQ_CST);
}

int time_of_timers(void)
{
	struct itimerspec soon = {{0, 0}, {0, 20000000}}, left;
	struct sigevent by_thread = {.sigev_notify = SIGEV_THREAD,
				     .sigev_value.sival_int = 3,
				     .sigev_notify_function = expires},
			by_signal = {.sigev_notify = SIGEV_SIGNAL,
				     .sigev_value.sival_int = 4,
				     .sigev_signo = SIGRTMIN};
	struct sigaction act = {.sa_sigaction = expires_by_signal, .sa_flags = SA_SIGINFO};
	timer_t t;
	SAY(timer_create(CLOCK_MONOTONIC, &by_thread, &t));
	SAY(timer_settime(t, 0, &soon, NULL));
	while (!__atomic_load_n(&expired, __ATOMIC_SEQ_CST))
		nap(5);
	say("by a thread", expired);
	SAY(timer_gettime(t, &left));
	say("left", left.it_value.tv_nsec);
	SAY(timer_delete(t));
	expired = 0;
	sigaction(SIGRTMIN, &act, NULL);
	SAY(timer_create(CLOCK_REALTIME, &by_signal, &t));
	SAY(timer_settime(t, 0, &soon, NULL));
	while (!__atomic_load_n(&expired, __ATOMIC_SEQ_CST))
		nap(5);
	say("by a signal", expired);
	SAY(timer_delete(t));
	SAY(timer_create(99, NULL, &t));
	return 0;
}

int time_by_descriptor(void)
{
	struct itimerspec every = {{0, 5000000}, {0, 5000000}}, invalid = {{0, 0}, {0, -1}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t times = 0;
	SAY(timerfd_settime(fd, 0, &invalid, NULL));
	SAY(timerfd_settime(fd, 0, &every, NULL));
	nap(30);
	SAY(read(fd, &times, sizeof(times)));
	say("several", times > 3);
	return 0;
}

int memory_limits(void)
{
	void *p = NULL;
	void *(*volatile get)(size_t) = malloc;
	void *(*volatile get_zeros)(size_t, size_t) = calloc;
	void *(*volatile change)(void *, size_t) = realloc;
	void *(*volatile get_aligned)(size_t, size_t) = aligned_alloc;
	volatile size_t huge = SIZE_MAX / 2, half = SIZE_MAX / 2 + 2;
	SAY(get(huge) == NULL);
	SAY(get_zeros(half, 2) == NULL);
	SAY(change(NULL, huge) == NULL);
	SAY(reallocarray(NULL, half, 2) == NULL);
	SAY(get_aligned(4096, huge) == NULL);
	SAY(posix_memalign(&p, 3, 10));
	SAY(posix_memalign(&p, 64, 10));
	say("aligned", (long)((uintptr_t)p % 64));
	SAY(malloc_usable_size(p) >= 10);
	p = realloc(p, 5000);
	SAY(realloc(p, 0) == NULL);
	SAY(malloc(0) != NULL);
	free(NULL);
	SAY(memalign(256, 8) != NULL);
	SAY(valloc(8) != NULL);
	return 0;
}

int memory_maps(void)
{
	char *p = sbrk(0);
	SAY(sbrk(4096) == p);
	SAY(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SAY(mprotect(p + 1, 4096, PROT_READ));
	p = mremap(p, 8192, 65536, MREMAP_MAYMOVE);
	p[65535] = 1;
	SAY(madvise(p, 65536, MADV_DONTNEED));
	say("zero again", p[65535]);
	SAY(munmap(p, 65536));
	SAY(munmap(p + 1, 65536));
	return 0;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int text_answers(void)
{
	char text[64], *end = NULL, *at = NULL;
	int number = 0, n = 0, numbers[] = {3, 1, 2};
	double real = 0;
	wchar_t wide[16];
	say("snprintf", snprintf(text, 5, "%s", "longer than five"));
	say("printf %n", printf("%d%n\n", 12345, &n));
	say("n", n);
	say("sscanf", sscanf("17 3.5 word rest", "%d %lf %63s", &number, &real, text));
	errno = ENOENT;
	printf("%d %g %s %5.2Lf %a %'d %m\n", number, real, text, 2.5L, 1.0, 1000000);
	say("sscanf of nothing", sscanf("", "%d", &number));
	SAY(strtol("99999999999999999999", &end, 10));
	SAY(strtol("12x", &end, 10));
	puts(end);
	for (char *word = strtok_r(strcpy(text, "a,b,,c"), ",", &at); word;
	     word = strtok_r(NULL, ",", &at))
		puts(word);
	qsort(numbers, 3, sizeof(int), compare);
	printf("%d %d %d\n", numbers[0], numbers[1], numbers[2]);
	swprintf(wide, 16, L"%d wide", 5);
	printf("%ls\n", wide);
	puts(setlocale(LC_ALL, "no such locale") ? "a locale" : "none");
	return number;
}

int stream_answers(void)
{
	char *line = NULL, text[64];
	size_t size = 0;
	int number = 0;
	FILE *f = fmemopen("one\ntwo", 7, "r");
	SAY(getline(&line, &size, f));
	SAY(getdelim(&line, &size, 'w', f));
	SAY(getline(&line, &size, f));
	SAY(getline(&line, &size, f));
	say("end", feof(f) != 0);
	say("fclose", fclose(f));
	f = tmpfile();
	fprintf(f, "%s %d\n", "file", 6);
	rewind(f);
	say("fscanf", fscanf(f, "%63s %d", text, &number));
	SAY(fread(text, 1, 8, f));
	SAY(ungetc('x', f));
	SAY(fgetc(f));
	SAY(fopen("/no/such/file", "r") == NULL);
	SAY(fputs("x", stdin) == EOF);
	return number;
}
