# Programs built with `snag cc` observe themselves when they are started without `snag run`.

load helper

compile() { # SOURCE-TEXT OUTPUT [FLAGS]
	printf '%s\n' "$1" >"$2.c"
	snag cc -g -O1 -o "$2" "$2.c" "${@:3}"
}

racy='#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x;
static void *add(void *unused) { x++; return NULL; }
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, add, NULL);
	if (argc > 1)
		x++;
	pthread_join(t, NULL);
	puts("done");
	return argc > 2 ? atoi(argv[2]) : 0;
}'

@test "a program that races reports by itself and ends with 66" {
	for compiler in gcc clang; do
		export SNAG_CC=$compiler
		compile "$racy" prog
		run --separate-stderr ./prog race
		[ "$status" = 66 ]
		[ "$output" = done ]
		[[ $stderr == *"WARNING: snag: data race"* ]]
		[[ $stderr == *"snag: reported 1 warning"* ]]
		run --separate-stderr ./prog race 7
		[ "$status" = 66 ]
	done
}

@test "a program without a race ends as it would, and nothing is printed" {
	compile "$racy" prog
	run --separate-stderr ./prog
	[ "$status" = 0 ]
	[ "$output" = done ]
	[ -z "$stderr" ]
	compile 'int main(void) { return 7; }' seven
	run ./seven
	[ "$status" = 7 ]
	[ -z "$output" ]
}

@test "observe=0 switches it off, exitcode changes the status" {
	compile "$racy" prog
	SNAG_OPTIONS=observe=0 run --separate-stderr ./prog race 7
	[ "$status" = 7 ]
	[ -z "$stderr" ]
	SNAG_OPTIONS=exitcode=9 run ./prog race 7
	[ "$status" = 9 ]
	TSAN_OPTIONS=exitcode=0 run --separate-stderr ./prog race 7
	[ "$status" = 7 ]
	[[ $stderr == *"data race"* ]]
}

@test "the program keeps its process, parent, descriptors and environment" {
	compile '#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	struct dirent *e;
	DIR *all = opendir("/proc/self/fd");
	printf("%d %s\n", getppid(), argv[0]);
	for (char **v = environ; *v; v++)
		puts(*v);
	while ((e = readdir(all)))
		puts(e->d_name);
	printf("%d\n", wait(NULL)); /* the tool is no child */
	return 0;
}' look
	gcc -o native look.c
	env -i A=1 B=2 bash -c 'exec -a name ./native' >expected
	env -i A=1 B=2 bash -c 'exec -a name ./look' >seen
	diff expected seen
	env -i A=1 B=2 ./native | tail -n +2 >expected
	env -i A=1 B=2 "$SNAG" run ./look | tail -n +2 >seen
	diff expected seen
}

@test "exit, _exit, quick ends and destructors: the output is complete, the report is there" {
	for how in 'exit(3)' '_exit(3)' 'return 3'; do
		compile "#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int x;
static void *add(void *unused) { x++; return NULL; }
static void last(void) { write(1, \"last\\n\", 5); }
int main(void)
{
	pthread_t t;
	atexit(last);
	pthread_create(&t, NULL, add, NULL);
	x++;
	pthread_join(t, NULL);
	fputs(\"kept in the buffer\", stdout);
	$how;
}" prog
		gcc -w -o native prog.c
		run ./native
		expected=$output
		run --separate-stderr ./prog
		[ "$status" = 66 ]
		[ "$output" = "$expected" ]
		[[ $stderr == *"data race"* ]]
	done
}

@test "standard input is the program's" {
	compile '#include <stdio.h>
int main(void) { int c, n = 0; while ((c = getchar()) != EOF) n++; printf("%d\n", n); return 0; }' count
	[ "$(printf 12345 | ./count)" = 5 ]
	printf 123 >file
	[ "$(./count <file)" = 3 ]
}

@test "programs that the program starts observe themselves" {
	compile "$racy" prog
	compile '#include <stdlib.h>
#include <sys/wait.h>
int main(void) { return WEXITSTATUS(system("./prog race 5")) == 66 ? 4 : 1; }' starter
	run --separate-stderr ./starter
	[ "$status" = 4 ]
	[[ $stderr == *"data race"* ]]
	run --separate-stderr "$SNAG" run ./starter
	[ "$status" = 4 ]
	[[ $stderr == *"data race"* ]]
}

@test "a program that a signal ends has its status, and its report" {
	compile '#include <pthread.h>
#include <signal.h>
int x;
static void *add(void *unused) { x++; return NULL; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, add, NULL);
	x++;
	pthread_join(t, NULL);
	raise(SIGTERM);
}' prog
	run bash -c './prog 2>report'
	[ "$status" = 143 ]
	for _ in $(seq 100); do # the program does not wait for it
		grep -q "reported 1 warning" report && break
		sleep 0.1
	done
	grep -q "reported 1 warning" report
}

@test "without the tool the program runs unobserved, and says so" {
	cp -r "$(dirname "$SNAG")/lib" .
	cp "$SNAG" snag
	compile "$racy" prog
	[ "$(nm prog | grep -c __snag_tool_path)" = 1 ]
	tool=$(strings prog | grep -m1 './snag$')
	sed "s|$tool|$(printf '%s' "$tool" | tr '[:print:]' x)|" prog >moved
	chmod +x moved
	PATH=/usr/bin:/bin run --separate-stderr ./moved race 7
	[ "$status" = 7 ]
	[[ $stderr == "snag: this program is not observed: xxx"*" did not start;"* ]]
	# No descriptor is left for the pipe.
	run --separate-stderr bash -c 'for fd in {3..99}; do eval "exec $fd>&-"; done
		ulimit -n 4; exec ./prog race 7'
	[ "$status" = 7 ]
	[[ $stderr == "snag: this program is not observed: $tool did not start;"* ]]
}

@test "an observer that is killed: the program goes on, and says that there is no verdict" {
	compile '#include <stdio.h>
#include <unistd.h>
int main(void) { puts("begun"); fflush(stdout); sleep(2); puts("done"); return 3; }' slow
	./slow >out 2>err &
	pid=$!
	for _ in $(seq 100); do
		observer=$(pgrep -f "observed [0-9,]*,$pid " || true)
		[ -n "$observer" ] && [ -s out ] && break
		sleep 0.05
	done
	kill -9 "$observer"
	wait $pid || status=$?
	[ "$status" = 3 ]
	[ "$(cat out)" = $'begun\ndone' ]
	[ "$(cat err)" = "snag: the observer has ended without a verdict" ]
}

@test "OpenMP and tasks: the verdict as with snag run" {
	printf '%s\n' '#include <stdio.h>' 'int main(void) {' 'int s = 0;' '#pragma omp parallel for' \
		'for (int i = 0; i < 10; i++) s += i;' 'printf("%d\n", s > 0);' 'return 0; }' >sum.c
	snag cc -fopenmp -g -o sum sum.c
	run --separate-stderr ./sum
	[ "$status" = 66 ]
	[ "$output" = 1 ]
	[[ $stderr == *"data race"* ]]
	printf '%s\n' 'int a[10];' 'int main(void) {' '#pragma omp parallel for' \
		'for (int i = 0; i < 10; i++) a[i] = i;' 'return 5; }' >clean.c
	snag cc -fopenmp -g -o clean clean.c
	run ./clean
	[ "$status" = 5 ]
	[ -z "$output" ]
	SNAG_OPTIONS=verbosity=1 run ./clean
	[ "$status" = 5 ]
	[[ $output == *"race-free for this input on every schedule"* ]]
}

@test "log_path, and what the program says to ThreadSanitizer itself" {
	compile "$racy" prog
	TSAN_OPTIONS=log_path=$PWD/log run --separate-stderr ./prog race
	[ "$status" = 66 ]
	[ -z "$stderr" ]
	[ "$(cat log.* | grep -c "WARNING: snag: data race")" = 1 ]
	rm log.*
	TSAN_OPTIONS=log_path=$PWD/log run ./prog
	[ "$status" = 0 ]
	[ ! -e log.* ]
	compile "$racy
const char *__tsan_default_options(void) { return \"exitcode=11\"; }" eleven
	run ./eleven race
	[ "$status" = 11 ]
	TSAN_OPTIONS=exitcode=12 run ./eleven race
	[ "$status" = 12 ]
	run "$SNAG" run --exitcode 13 ./eleven race
	[ "$status" = 13 ]
	compile "$racy
const char *__tsan_default_suppressions(void) { return \"race:no_such_function\\nrace:^add\$\\n\"; }" quiet
	run --separate-stderr ./quiet race 3
	[ "$status" = 3 ]
	[[ $stderr != *"WARNING"* ]]
	[[ $stderr != *"matched nothing"* ]]
}
