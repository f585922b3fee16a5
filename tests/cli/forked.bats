# Children of fork: each that creates threads is observed, reports by itself and ends with 66.

load helper

setup_file() {
	export SNAG_CC=gcc
}

compile() { # OUTPUT, the source from standard input
	cat >"$1.c"
	snag cc -g -O1 -o "$1" "$1.c"
}

# Forks once, or twice, from main or from another thread, while another thread holds a lock.  The
# last child has a race if RACE is given.
forks() {
	compile forks <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static int counter;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
	static pthread_barrier_t ready;
	static const char *how;
	static void *add(void *unused) { counter++; return NULL; }
	static void *add_locked(void *unused)
	{
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
		return NULL;
	}
	static void *hold(void *unused)
	{
		pthread_mutex_lock(&held);
		pthread_barrier_wait(&ready);
		pthread_barrier_wait(&ready);
		pthread_mutex_unlock(&held);
		return NULL;
	}
	static void two(void)
	{
		pthread_t t[2];
		void *(*f)(void *) = strstr(how, "race") ? add : add_locked;
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, f, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
	}
	static int wait_for(pid_t child)
	{
		int status;
		waitpid(child, &status, 0);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	static void *forker(void *unused)
	{
		pthread_mutex_lock(&lock);
		pid_t child = fork();
		if (child == 0) {
			pthread_mutex_unlock(&lock);
			if (strstr(how, "twice")) {
				pid_t next = fork();
				if (next > 0)
					_exit(wait_for(next) + 10);
			}
			two();
			if (strstr(how, "exit"))
				exit(3);
			_exit(4);
		}
		pthread_mutex_unlock(&lock);
		printf("child %d\n", wait_for(child));
		return NULL;
	}
	int main(int argc, char **argv)
	{
		pthread_t t, holder;
		how = argv[1];
		pthread_barrier_init(&ready, NULL, 2);
		pthread_create(&holder, NULL, hold, NULL);
		pthread_barrier_wait(&ready);
		if (strstr(how, "thread")) {
			pthread_create(&t, NULL, forker, NULL);
			pthread_join(t, NULL);
		} else {
			forker(NULL);
		}
		pthread_barrier_wait(&ready);
		pthread_join(holder, NULL);
		return 0;
	}
	END
}

@test "a child of fork reports its race, and the parent goes on" {
	forks
	for how in race thread-race race-exit; do
		run --separate-stderr timeout 60 ./forks $how
		[ "$status" = 0 ]
		[ "$output" = "child 66" ]
		[ "$(grep -c 'WARNING: snag: data race' <<<"$stderr")" = 1 ]
		grep -q "Location is global 'counter'" <<<"$stderr"
	done
	run --separate-stderr timeout 60 ./forks twice-race
	[ "$status" = 0 ]
	[ "$output" = "child 76" ]
	[ "$(grep -c 'WARNING: snag: data race' <<<"$stderr")" = 1 ]
}

@test "a child of fork without a race ends as it would" {
	forks
	for how in none thread; do
		run --separate-stderr timeout 60 ./forks $how
		[ "$output" = "child 4" ]
		[ -z "$stderr" ]
	done
	run --separate-stderr timeout 60 ./forks twice-exit
	[ "$output" = "child 13" ]
	[ -z "$stderr" ]
}

@test "a child of fork is observed under snag run and --free, and not with observe=0" {
	forks
	for free in "" --free; do
		snags run $free ./forks thread-race
		[ "$status" = 0 ]
		[ "$output" = "child 66" ]
		grep -q 'WARNING: snag: data race' <<<"$stderr"
	done
	SNAG_OPTIONS=observe=0 snags run ./forks race
	[ "$output" = "child 4" ]
	refute grep -q WARNING <<<"$stderr"
}

@test "options of snag run hold for children of fork, and for their children" {
	forks
	for how in race twice-race; do
		snags run --format tsan --strip-path-prefix "$PWD/" --exitcode 9 ./forks $how
		grep -q 'WARNING: ThreadSanitizer: data race' <<<"$stderr"
		refute grep -q 'WARNING: snag' <<<"$stderr"
		[ "$output" = "child $([ $how = race ] && echo 9 || echo 19)" ]
	done
	echo race:add >hidden
	snags run --suppressions hidden ./forks race
	[ "$output" = "child 4" ]
	refute grep -q WARNING <<<"$stderr"
}

@test "a lock that is held across fork still excludes threads of the child" {
	compile held <<-'END'
	#include <pthread.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static int counter;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
	static void *add(void *unused)
	{
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
		pthread_rwlock_wrlock(&shared);
		counter++;
		pthread_rwlock_unlock(&shared);
		return NULL;
	}
	int main(void)
	{
		pthread_t t;
		pthread_mutex_lock(&lock);
		pthread_rwlock_rdlock(&shared);
		pid_t child = fork();
		if (child == 0) {
			pthread_create(&t, NULL, add, NULL);
			counter++;
			pthread_mutex_unlock(&lock);
			pthread_rwlock_unlock(&shared);
			pthread_join(t, NULL);
			_exit(counter == 3 ? 0 : 1);
		}
		int status;
		waitpid(child, &status, 0);
		return WEXITSTATUS(status);
	}
	END
	run --separate-stderr timeout 60 ./held
	[ "$status" = 0 ]
	[ -z "$stderr" ]
}

@test "a daemon reports when its parent is gone" {
	compile daemonized <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	static int counter;
	static void *add(void *unused) { counter++; return NULL; }
	int main(void)
	{
		pthread_t t[2];
		if (daemon(0, 1))
			return 1;
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, add, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		return 0;
	}
	END
	./daemonized 2>report
	timeout 60 sh -c 'until grep -q "reported 1 warning" report; do sleep 0.05; done'
	[ "$(grep -c 'WARNING: snag: data race' report)" = 1 ]
}
