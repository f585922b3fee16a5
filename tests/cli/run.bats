#!/usr/bin/env bats
# snag run and snag replay: races of a program, observed and predicted, reported and confirmed.
load helper

setup_file() {
	export PROGS="$BATS_FILE_TMPDIR"
	local root="$BATS_TEST_DIRNAME/../.."
	local SNAG=${SNAG:-$root/build/snag}
	for name in race_counter race_hidden norace_mutex race_split_predicted race_behind_values norace_stack norace_dcl norace_fence; do
		"$SNAG" cc -g -O1 -pthread -o "$PROGS/$name" "$root/tests/programs/$name.c"
	done
	"$SNAG" cc -g -O1 -pthread -o "$PROGS/report" "$root/docs/examples/report.c"
}

@test "a race that the run shows" {
	run --separate-stderr "$SNAG" run --no-effects "$PROGS/race_counter"
	[ "$status" = 66 ]
	grep -q '^WARNING: snag: data race (pid=[0-9]*)$' <<<"$stderr"
	grep -q '^  Observed: ' <<<"$stderr"
	grep -q '^    #0 .*race_counter.c:[0-9]*:[0-9]* (race_counter+0x' <<<"$stderr"
	grep -q '^SUMMARY: snag: data race .*race_counter.c:' <<<"$stderr"
}

@test "a race that the run hides is predicted and confirmed" {
	run --separate-stderr "$SNAG" run --witness w --keep kept.snag "$PROGS/report"
	[ "$status" = 66 ]
	[ "$output" = "512 bytes" ]
	grep -q '^  Predicted: ' <<<"$stderr"
	grep -q '^  Replay: confirmed, ' <<<"$stderr"
	grep -q "^  Location is global 'bytes'" <<<"$stderr"
	grep -q '(mutexes: write lock):$' <<<"$stderr"
	snags check kept.snag w/race-1.json
	[ "$status" = 0 ]
	run --separate-stderr "$SNAG" replay w/race-1.json "$PROGS/report"
	[ "$status" = 66 ]
	grep -q '^snag: replay: confirmed: ' <<<"$stderr"
}

@test "a race that only another run shows is confirmed, at any seed" {
	for seed in 1 2 3 4 5 6; do
		run --separate-stderr "$SNAG" run --seed $seed --witness w --json run.json "$PROGS/race_behind_values"
		[ "$status" = 66 ]
		jq -e '[.incidents[] | select(.replay == "confirmed" or .verdict == "observed")] | length == 2' run.json
		grep -q "^  Location is global 'x'" <<<"$stderr"
		grep -q "^  Location is global 'seats'" <<<"$stderr"
	done
	run --separate-stderr "$SNAG" run --witness w "$PROGS/race_behind_values"
	grep -q '^  Confirmed: ' <<<"$stderr"
	snags replay w/race-1.json "$PROGS/race_behind_values"
	[ "$status" = 66 ]
	# Only by running it again: else nothing is known.
	snags run --no-replay "$PROGS/race_behind_values"
	[ "$status" = 0 ]
}

@test "a predicted race with what was done to a word before a part of it" {
	# T1 comes first: seen as it ran, the word would have lost its first write.
	run --separate-stderr "$SNAG" run --seed 1 --witness w --keep kept.snag "$PROGS/race_split_predicted"
	[ "$status" = 66 ]
	grep -q '^  Predicted: ' <<<"$stderr"
	grep -q '^  Replay: confirmed, ' <<<"$stderr"
	grep -q '^  Previous write of size 8 at word.half\[1\] ' <<<"$stderr"
	snags check kept.snag w/race-1.json
	[ "$status" = 0 ]
	run --separate-stderr "$SNAG" replay -o again.snag w/race-1.json "$PROGS/race_split_predicted"
	[ "$status" = 66 ]
	# The numbers are those of the trace that was written a second time.
	read -r first second < <(sed -nE 's/.*events ([0-9]+) and ([0-9]+) of the replay.*/\1 \2/p' <<<"$stderr")
	snag convert again.snag again.std
	[ "$(sed -nE "$((first + 1))s/.*[|](w[(]word).*/\1/p; $((second + 1))s/.*[|](r[(]word[+]0x4).*/\1/p" again.std | xargs)" = "w(word r(word+0x4" ]
}

@test "any place for temporary files and schedules" {
	mkdir "a folder: odd"
	TMPDIR="$PWD/a folder: odd" "$SNAG" run "$PROGS/report" >out 2>err || [ $? = 66 ]
	grep -q '^  Replay: confirmed, ' err
	[ -z "$(ls -A "a folder: odd")" ]
	TMPDIR=/nowhere snags run "$PROGS/report"
	refused 2 "snag: run: TMPDIR: /nowhere: No such file or directory"
	"$SNAG" record --schedule "a folder: odd/turns" -o 1.snag "$PROGS/report"
	"$SNAG" record --follow "a folder: odd/turns" --seed 5 -o 2.snag "$PROGS/report"
	cmp 1.snag 2.snag
	snags record --follow none -o 3.snag "$PROGS/report"
	refused 2 "snag: record: none: No such file or directory"
}

@test "the same id, whatever the seed" {
	for seed in 1 2 3; do
		"$SNAG" run --no-replay --seed $seed --json $seed.json "$PROGS/race_hidden" 2>err || [ $? = 66 ]
		jq -r '.incidents[].id' $seed.json >$seed.ids
		[ -s $seed.ids ]
		cmp 1.ids $seed.ids
	done
}

@test "suspicions that no run confirms are not told" {
	for name in norace_stack norace_dcl norace_fence; do
		"$SNAG" record -o run.snag "$PROGS/$name"
		snags analyze --with hybrid run.snag
		[ "$status" = 66 ] # there are some
		run --separate-stderr "$SNAG" run "$PROGS/$name"
		[ "$status" = 0 ]
		[ -z "$stderr" ]
	done
}

# A predicted race (p), and one that only another run shows (q), after a while.
slow_make() {
	cat >slow.c <<-'END'
		#include <poll.h>
		#include <pthread.h>
		#include <stdlib.h>
		static int p, q, y, z, counter;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
		static void count(void)
		{
			pthread_mutex_lock(&c);
			counter++;
			pthread_mutex_unlock(&c);
		}
		static void *one(void *arg)
		{
			p = 1;
			pthread_mutex_lock(&m);
			y = 1;
			pthread_mutex_unlock(&m);
			q = 1;
			count();
			return arg;
		}
		static void *two(void *arg)
		{
			pthread_mutex_lock(&m);
			z = 1;
			pthread_mutex_unlock(&m);
			p = 2;
			count();
			q = 2;
			return arg;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[2];
			poll(NULL, 0, atoi(argv[1]));
			pthread_create(&t[0], NULL, one, NULL);
			pthread_create(&t[1], NULL, two, NULL);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], NULL);
			return p == 0 || q == 0 || y + z != 2 || counter != 2;
		}
	END
	"$SNAG" cc -g -pthread slow.c -o slow
}

@test "a replay that is killed before the program has started was not tried" {
	slow_make
	cat >slowly <<-'END'
		#!/bin/sh
		if [ -e ran ]; then sleep 30; fi
		touch ran
		exec ./slow 1
	END
	chmod +x slowly
	run --separate-stderr "$SNAG" run --replay-seconds 1 --json late.json ./slowly
	[ "$status" = 66 ]
	refute grep -q 'did not start' <<<"$stderr"
	[ "$(jq -r '.incidents[0] | .verdict + " " + .replay' late.json)" = "predicted not tried" ]
	jq -e '.replays.predicted == {tried: 0, left: 1}' late.json
}

@test "a replay leaves the sections that the slice leaves out" {
	cat >often.c <<-'C'
	#include <pthread.h>
	static volatile int x, y;
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
	static void work(void)
	{
		for (int i = 0; i < 20; i++) {
			pthread_mutex_lock(&m);
			y++;
			pthread_mutex_unlock(&m);
		}
	}
	static void *first(void *arg)
	{
		work();
		x = 1;
		pthread_mutex_lock(&n);
		pthread_mutex_unlock(&n);
		return 0;
	}
	static void *second(void *arg)
	{
		work();
		pthread_mutex_lock(&n);
		pthread_mutex_unlock(&n);
		x = 2;
		return 0;
	}
	int main(void)
	{
		pthread_t t[2];
		pthread_create(&t[0], 0, first, 0);
		pthread_create(&t[1], 0, second, 0);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
	}
	C
	snag cc -g -pthread often.c -o often
	for seed in 1 2 3 4 6 9; do
		snags run --seed $seed ./often
		[ "$status" = 66 ]
		grep '^  Replay: ' <<<"$stderr" >>replays || [[ $stderr == *"Observed: "* ]]
	done
	grep -q '^  Replay: confirmed, ' replays
	! grep -q 'diverged' replays
}

@test "replays have a time: predicted races first, and what is left is said" {
	slow_make
	# All of it: nothing is left to say.
	run --separate-stderr "$SNAG" run --replay-seconds 60 --json all.json ./slow 100
	[ "$status" = 66 ]
	refute grep -q 'not replayed' <<<"$stderr"
	jq -e '.replays == {predicted: {tried: 1, left: 0}, suspects: {tried: 1, left: 0}}' all.json
	[ "$(jq -r '[.incidents[] | .verdict + " " + .replay] | join(", ")' all.json)" = \
		"predicted confirmed, confirmed confirmed" ]
	# Time for one: the predicted race.
	run --separate-stderr "$SNAG" run --replay-seconds 4 --json one.json ./slow 2500
	[ "$status" = 66 ]
	jq -e '.replays == {predicted: {tried: 1, left: 0}, suspects: {tried: 0, left: 1}}' one.json
	[ "$(jq -r '[.incidents[] | .verdict + " " + .replay] | join(", ")' one.json)" = \
		"predicted confirmed" ]
	[[ ${stderr_lines[-1]} == "snag: 1 suspicious pair not replayed, as the time for replays is over; --replay-seconds "*" goes on" ]]
	# Time for none: it is killed, and reported all the same.
	begin=$SECONDS
	run --separate-stderr "$SNAG" run --replay-seconds 1 --json none.json --html none.html ./slow 5000
	[ "$status" = 66 ]
	[ $((SECONDS - begin)) -lt 9 ]
	jq -e '.replays == {predicted: {tried: 0, left: 1}, suspects: {tried: 0, left: 1}}' none.json
	[ "$(jq -r '.incidents[0] | .verdict + " " + .replay' none.json)" = "predicted not tried" ]
	words='1 predicted race and 1 suspicious pair not replayed, as the time for replays is over'
	[[ ${stderr_lines[-1]} == "snag: $words; --replay-seconds "*" goes on" ]]
	grep -q "$words" none.html
}

@test "a signal during the replays: what was found, and what was not tried, never 0" {
	slow_make
	sed 's/p = [12];//; s/return p == 0 .*/puts("ends");return 0;/; s/<poll.h>/<poll.h>\n#include <stdio.h>/' slow.c >suspect.c
	"$SNAG" cc -g -pthread suspect.c -o suspect
	sed 's/return p == 0 .*/puts("ends");return 0;/; s/<poll.h>/<poll.h>\n#include <stdio.h>/' slow.c >both.c
	"$SNAG" cc -g -pthread both.c -o both
	for name in suspect both; do
		signal=TERM
		[ $name = suspect ] || signal=INT
		env --default-signal=INT "$SNAG" run --json report.json ./$name 3000 >out 2>err &
		pid=$!
		for _ in $(seq 200); do
			grep -q ends out && break
			sleep 0.05
		done
		sleep 1 # it is being replayed
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		cat err
		if [ $name = both ]; then
			[ "$status" = 66 ]
			[ "$(jq -r '.incidents[0] | .verdict + " " + .replay' report.json)" = "predicted not tried" ]
			grep -qx 'snag: 1 predicted race and 1 suspicious pair not replayed, as a signal came' err
		else
			[ "$status" = 143 ]
			grep -qx 'snag: 1 suspicious pair not replayed, as a signal came' err
		fi
	done
}

@test "no time for replays is as no replays" {
	slow_make
	run --separate-stderr "$SNAG" run --replay-seconds 0 --json zero.json ./slow 0
	[ "$status" = 66 ]
	zero=$stderr
	run --separate-stderr "$SNAG" run --no-replay ./slow 0
	[ "$(sed 's/pid=[0-9]*//' <<<"$zero")" = "$(sed 's/pid=[0-9]*//' <<<"$stderr")" ]
	refute grep -q 'not replayed\|Replay:' <<<"$zero"
	jq -e '.replays == null and (.incidents | length) == 1' zero.json
}

@test "a replay whose program never rests ends with its time" {
	cat >busy.c <<-'END'
		#include <fcntl.h>
		#include <pthread.h>
		#include <stdlib.h>
		#include <unistd.h>
		static int x, y, z;
		static long sum[64];
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static void *one(void *arg)
		{
			x = 1;
			pthread_mutex_lock(&m);
			y = 1;
			pthread_mutex_unlock(&m);
			return arg;
		}
		static void *two(void *arg)
		{
			pthread_mutex_lock(&m);
			z = 1;
			pthread_mutex_unlock(&m);
			x = 2;
			return arg;
		}
		static void *loop(void *arg)
		{
			for (;;)
				for (int i = 0; i < 64; i++) {
					pthread_mutex_lock(&m);
					sum[i] += i;
					pthread_mutex_unlock(&m);
				}
			return arg;
		}
		int main(void)
		{
			pthread_t t[2];
			if (access("again", F_OK) == 0) /* another way */
				loop(NULL);
			close(open("again", O_CREAT | O_WRONLY, 0600));
			pthread_create(&t[0], NULL, one, NULL);
			pthread_create(&t[1], NULL, two, NULL);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], NULL);
			return x == 0 || y + z != 2;
		}
	END
	"$SNAG" cc -O1 -g -pthread busy.c -o busy
	run --separate-stderr timeout 30 "$SNAG" run --replay-seconds 2 ./busy
	[ "$status" = 66 ]
	grep -q 'not replayed\|Replay: diverged' <<<"$stderr"
}

@test "no race: the status of the program, and no word" {
	run --separate-stderr "$SNAG" run "$PROGS/norace_mutex"
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	cat >five.c <<-'END'
		#include <stdio.h>
		int main(void) { puts("hello"); return 5; }
	END
	"$SNAG" cc -o five five.c
	run --separate-stderr "$SNAG" run ./five
	[ "$status" = 5 ]
	[ "$output" = hello ]
}

@test "JSON and SARIF" {
	"$SNAG" run --json r.json --sarif r.sarif "$PROGS/report" >out 2>err || [ $? = 66 ]
	[ "$(jq -r '.incidents[0] | .verdict + " " + .replay' r.json)" = "predicted confirmed" ]
	[ "$(jq -r '.incidents[0].accesses[1].stack[0].function' r.json)" = reporter ]
	[ "$(jq -r '.analyses[1].races[0].verdict' r.json)" = predicted ]
	[ "$(jq -r '.runs[0].results[0].ruleId' r.sarif)" = race.predicted ]
	[ "$(jq -r '.runs[0].results[0].codeFlows[0].threadFlows | length' r.sarif)" -ge 2 ]
}

@test "suppressions" {
	printf '%s\n' '# the report is known' 'race:^reporter$' 'race:nothing' >s
	run --separate-stderr "$SNAG" run --suppressions s "$PROGS/report"
	[ "$status" = 0 ]
	[ "$stderr" = "snag: reported 0 warnings (1 suppressed)
snag: run: s:3: suppression 'race:nothing' matched nothing" ]
	echo nonsense >s
	snags run --suppressions s "$PROGS/report"
	refused 2 "snag: run: s:1: expected*"
}

@test "a crash keeps what came before" {
	cat >crash.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		static int x;
		static void *one(void *p) { x++; return p; }
		int main(void)
		{
			pthread_t t;
			pthread_create(&t, 0, one, 0);
			x++;
			pthread_join(t, 0);
			abort();
		}
	END
	"$SNAG" cc -g -pthread -o crash crash.c
	run --separate-stderr "$SNAG" run ./crash
	[ "$status" = 66 ]
	grep -q "Location is global 'x'" <<<"$stderr"
	run --separate-stderr "$SNAG" run --exitcode 0 ./crash
	[ "$status" = 134 ]
}

@test "what cannot be run or replayed" {
	snags run ./no-such-program
	refused 2 "snag: run: ./no-such-program: No such file or directory"
	snags run /bin/true
	refused 2 "snag: run: /bin/true: was not built with this 'snag cc', or did not start"
	snags run --keep x.std "$PROGS/report"
	refused 2 "snag: run: --keep: x.std: expected a name that ends in .snag"
	echo '{"witness":[1,2]}' >w.json
	snags replay w.json "$PROGS/report"
	refused 2 "snag: replay: w.json: has no schedule to replay: expected*"
	echo '{' >w.json
	snags replay w.json "$PROGS/report"
	refused 2 "snag: replay: w.json:*"
	snags replay none.json "$PROGS/report"
	refused 2 "snag: replay: *none.json*"
	# A schedule that the program does not follow.
	echo '{"turns":[[0,1],[7,1],[8,1]],"accesses":[{"place":"a","write":true},{"place":"b","write":true}]}' >w.json
	run --separate-stderr "$SNAG" replay w.json "$PROGS/report"
	[ "$status" = 0 ]
	[ "$stderr" = "snag: replay: diverged: at turn 2 of 3 T7 cannot run: it was not created, or has ended" ]
}

@test "a predicted race between long loops is replayed" {
	cat >between.c <<'C'
#include <pthread.h>
int a[2][5000], x, y[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void loop(int *at)
{
	for (int i = 0; i < 4000; i++)
		at[i] = at[i + 1] + at[i];
}
static void locked(int *at)
{
	pthread_mutex_lock(&m);
	++*at;
	pthread_mutex_unlock(&m);
}
static void *first(void *arg)
{
	loop(a[0]);
	x = 1;
	loop(a[0]);
	locked(&y[0]);
	return arg;
}
static void *second(void *arg)
{
	loop(a[1]);
	locked(&y[1]);
	loop(a[1]);
	x = 2;
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, first, 0);
	pthread_create(&t[1], 0, second, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
}
C
	snag cc -O2 -pthread between.c -o between
	SNAG_OPTIONS=quantum=1000000:switch_in=1000000 snags run ./between
	[ "$status" = 66 ]
	[[ $output$stderr == *confirmed* ]]
}

@test "JUnit: a failed test case for each report, and valid XML whatever the names" {
	"$SNAG" run --json r.json --junit r.xml "$PROGS/report" >out 2>err || [ $? = 66 ]
	python3 - <<-'END'
		import json, xml.etree.ElementTree as tree
		suite = tree.parse("r.xml").getroot().find("testsuite")
		reports = json.load(open("r.json"))["incidents"]
		failed = [case for case in suite.iter("testcase") if case.find("failure") is not None]
		assert len(failed) == len(reports) == int(suite.get("failures")) > 0
		assert all(r["id"] in c.get("name") for c, r in zip(failed, reports))
		assert all("report.c:" in c.find("failure").text for c in failed)
	END
	printf '%s\n' 'int main(void) { return 0; }' >clean.c
	snag cc -o 'a<&">b' clean.c
	"$SNAG" run --junit clean.xml './a<&">b'
	python3 -c 'import xml.etree.ElementTree as t
suite = t.parse("clean.xml").getroot().find("testsuite")
assert suite.get("name") == "snag run ./a<&\">b", suite.get("name")
assert suite.get("failures") == "0" and len(suite.findall("testcase")) == 1'
}

@test "a baseline: known reports do not fail, new ones do" {
	"$SNAG" run --json r.json "$PROGS/report" >out 2>err || [ $? = 66 ]
	snags run --baseline r.json "$PROGS/report"
	[ "$status" = 0 ]
	[[ $stderr != *WARNING* ]]
	jq 'del(.incidents[0])' r.json >fewer.json
	snags run --baseline fewer.json "$PROGS/report"
	[ "$status" = 66 ]
	[ "$(grep -c WARNING <<<"$stderr")" = 1 ]
	echo '{' >cut.json
	snags run --baseline cut.json "$PROGS/report"
	refused 2 "snag: run: cut.json:*"
	echo '{"incidents":[{}]}' >empty.json
	snags run --baseline empty.json "$PROGS/report"
	refused 2 "snag: run: empty.json: an incident has no id"
}
