# The HTML report, as Chromium shows it (tests/page/check.js).

load helper

look() { # SCENARIO PAGE
	[ -d "$root/build/browser/node_modules/playwright-core" ] || skip "no playwright-core: scripts/setup-browser.sh"
	command -v "${CHROMIUM:-chromium}" >/dev/null || skip "no chromium: scripts/setup-browser.sh"
	NODE_PATH=$root/build/browser/node_modules timeout 120 node "$root/tests/page/check.js" "$@"
}

# A program with N races behind a lock, each on its own variable, after a loop of sections.
races() { # N
	cat <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static int heap[64], loops;
		static void sections(void)
		{
			for (int i = 0; i < loops; i++) {
				pthread_mutex_lock(&m);
				heap[i % 64]++;
				pthread_mutex_unlock(&m);
			}
		}
	END
	for ((i = 0; i < $1; i++)); do echo "static int v$i;"; done
	echo 'static void *one(void *u) {'
	echo 'sections();'
	for ((i = 0; i < $1; i++)); do echo "v$i++;"; done
	echo 'pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return u; }'
	echo 'static void *two(void *u) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m);'
	echo 'sections();'
	for ((i = 0; i < $1; i++)); do echo "v$i += 2;"; done
	cat <<-'END'
		return u; }
		int main(int argc, char **argv)
		{
			pthread_t a, b;
			loops = argc > 1 ? atoi(argv[1]) : 0;
			pthread_create(&a, NULL, one, NULL);
			pthread_create(&b, NULL, two, NULL);
			pthread_join(a, NULL);
			pthread_join(b, NULL);
			return 0;
		}
	END
}

@test "the schedule of a witness, its keys, and which write a read sees" {
	SNAG_CC=gcc "$SNAG" cc -g -o report "$root/docs/examples/report.c"
	snags run --html r.html --witness w ./report
	[ "$status" = 66 ]
	look predicted r.html
}

@test "an observed race has a schedule and a witness file too" {
	cat >obs.c <<-'END'
		#include <pthread.h>
		int x;
		static void *f(void *u) { x++; return u; }
		int main(void)
		{
			pthread_t a, b;
			pthread_create(&a, NULL, f, NULL);
			pthread_create(&b, NULL, f, NULL);
			pthread_join(a, NULL);
			pthread_join(b, NULL);
			return 0;
		}
	END
	"$SNAG" cc -g -o obs obs.c
	snags run --html r.html --witness w ./obs
	[ "$status" = 66 ]
	[[ $stderr == *"Observed: "*"Witness: w/race-1.json"* ]]
	snags replay w/race-1.json ./obs
	[ "$status" = 66 ]
	look observed r.html
}

@test "150 races: contents, search, filters" {
	races 150 >many.c
	"$SNAG" cc -g -o many many.c
	snags run --html r.html --no-replay ./many 20
	[ "$status" = 66 ]
	look many r.html
}

@test "a witness of 100,000 steps" {
	races 1 >long.c
	"$SNAG" cc -g -o long long.c
	snags run --html r.html --no-replay ./long 30000
	[ "$status" = 66 ]
	look long r.html
}

@test "20 races with long witnesses make at most 5 MB" {
	races 20 >twenty.c
	"$SNAG" cc -g -o twenty twenty.c
	snags run --html r.html --no-replay ./twenty 30000
	[ "$status" = 66 ]
	[ "$(stat -c %s r.html)" -le 5000000 ]
}

@test "a deadlock is drawn as a ring" {
	"$SNAG" cc -g -o ring "$root/tests/programs/deadlock/three.c" -lpthread
	for seed in 1 2 3 4 5 6 7 8; do # one at which it does not happen
		"$SNAG" run --seed $seed --html r.html ./ring 2>err || true
		grep -q 'Predicted' err && break
	done
	look deadlock r.html
}

@test "mistakes, freed memory, atomicity, and nothing at all" {
	while read -r scenario program options; do
		# shellcheck disable=SC2086 # options, to be split
		"$SNAG" cc -g -w -pthread -o prog "$root/tests/programs/$program"
		"$SNAG" run $options --html r.html ./prog || [ $? = 66 ]
		look "$scenario" r.html
	done <<-'END'
		mistake misuse/double_free.c
		freed misuse/use_after_free_race.c
		atomicity atomicity/split_update.c --with atomicity
		clean norace_joins.c
	END
}

@test "tasks: the missing edge, also of 1,000 iterations; and a proof" {
	cp "$root/tests/programs/task_race_range.c" .
	"$SNAG" cc -O1 -g -fsnag-task -o '<b onclick="x">&' task_race_range.c
	snags run --html r.html './<b onclick="x">&'
	[ "$status" = 66 ]
	look range r.html
	printf '%s\n' 'int total;' 'int main(void)' '{' '#pragma omp parallel for' \
		'	for (int i = 0; i < 1000; i++)' '		total += i;' '	return total == 1;' '}' >loop.c
	"$SNAG" cc -g -fopenmp -o loop loop.c
	snags run --html r.html ./loop
	[ "$status" = 66 ]
	look iterations r.html
	"$SNAG" cc -O1 -g -fsnag-task -o fib "$root/tests/programs/task_norace_fib.c"
	"$SNAG" run --html r.html ./fib
	look free r.html
}

@test "a trace as a page" {
	snags analyze --html r.html --witness w "$root/docs/examples/report.std"
	[ "$status" = 66 ]
	look trace r.html
	snags analyze --html /nowhere/r.html "$bank"
	[ "$status" = 2 ]
}
