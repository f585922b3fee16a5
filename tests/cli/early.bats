# Observed races are printed while the program runs; halt_on_error ends it at the first.

load helper

setup_file() {
	export SNAG_CC=gcc
}

compile() { # OUTPUT, the source from standard input
	cat >"$1.c"
	snag cc -g -O1 -o "$1" "$1.c"
}

# Two threads race on `hits` for ever, and on `late` once a file called "go" is there.
server() {
	compile server <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	static int hits, late, locked;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static void *serve(void *unused)
	{
		for (int has_gone = 0;;) {
			hits++;
			pthread_mutex_lock(&lock);
			locked++;
			pthread_mutex_unlock(&lock);
			if (!has_gone && access("go", F_OK) == 0) {
				late++;
				has_gone = 1;
			}
			usleep(1000);
		}
		return NULL;
	}
	int main(void)
	{
		pthread_t t;
		pthread_create(&t, NULL, serve, NULL);
		serve(NULL);
	}
	END
}

await() { # PATTERN FILE
	timeout 60 sh -c 'until grep -q "$0" "$1"; do sleep 0.05; done' "$1" "$2"
}

@test "the races of a running program are there before its end, and are printed once" {
	server
	./server 2>report &
	pid=$!
	await "Location is global 'hits'" report
	await "SUMMARY" report
	kill -0 $pid
	refute grep -q reported report
	touch go
	await "Location is global 'late'" report
	kill -0 $pid
	kill -TERM $pid
	wait $pid || true
	await "reported 2 warnings: 2 observed" report
	[ "$(grep -c 'Location is global' report)" = 2 ]
	refute grep -q locked report
}

@test "kill -9 of the program and of its observer leaves the races that were printed" {
	server
	setsid ./server 2>report &
	await SUMMARY report
	kill -KILL -- -$!
	[ "$(grep -c 'WARNING: snag: data race' report)" = 1 ]
}

@test "snag run prints early, too, and writes everything to its files" {
	server
	touch go
	"$SNAG" run --json r.json ./server 2>report &
	await SUMMARY report
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" = 66 ]
	await reported report
	[ "$(grep -c "Location is global 'hits'" report)" = 1 ]
	grep -q '"hits"' r.json
}

@test "a file of log_path has every race, early ones too" {
	server
	SNAG_OPTIONS=log_path=log ./server &
	pid=$!
	timeout 60 sh -c 'until grep -q SUMMARY log.*; do sleep 0.05; done' 2>/dev/null
	kill -TERM $pid
	wait $pid || true
	await reported log.$pid
	[ "$(grep -c "Location is global 'hits'" log.$pid)" = 1 ]
}

halting() {
	compile halting <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	static int x, y;
	static void *add(void *unused) { x++; y++; return NULL; }
	int main(int argc, char **argv)
	{
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, add, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		return write(1, "went on\n", 8) != 8;
	}
	END
}

@test "halt_on_error ends the program at its first report, with the exit status of a race" {
	halting
	run --separate-stderr ./halting
	[ "$status" = 66 ]
	[ "$output" = "went on" ]
	[ "$(grep -c WARNING <<<"$stderr")" = 2 ]
	for options in SNAG_OPTIONS TSAN_OPTIONS; do
		run --separate-stderr env $options=halt_on_error=1:exitcode=7 timeout 60 ./halting
		[ "$status" = 7 ]
		[ -z "$output" ]
		[ "$(grep -c WARNING <<<"$stderr")" = 1 ]
		run --separate-stderr env $options=halt_on_error=1 timeout 60 "$SNAG" run ./halting
		[ "$status" = 66 ]
		[ -z "$output" ]
		[ "$(grep -c WARNING <<<"$stderr")" = 1 ]
	done
}

@test "halt_on_error ends a server that only waits" {
	server
	SNAG_OPTIONS=halt_on_error=1 run --separate-stderr timeout 60 ./server
	[ "$status" = 66 ]
	[ "$(grep -c WARNING <<<"$stderr")" = 1 ]
}

@test "a program without a race runs to its end with halt_on_error" {
	compile clean <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	static int x;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static void *add(void *unused)
	{
		pthread_mutex_lock(&lock);
		x++;
		pthread_mutex_unlock(&lock);
		return NULL;
	}
	int main(void)
	{
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, add, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		return printf("%d\n", x) != 2;
	}
	END
	SNAG_OPTIONS=halt_on_error=1 run --separate-stderr timeout 60 ./clean
	[ "$status" = 0 ]
	[ "$output" = 2 ]
	[ -z "$stderr" ]
}
