#!/usr/bin/env bats
# What happens if memory, the disk or patience does not suffice: races that were found are reported.

load helper

# A race of neighbours at the end of a trace of 20 * N events, all of them contended.
long_trace() { # N
	for ((i = 0; i < $1; i++)); do
		for t in T0 T1; do
			printf '%s|acq(l)|1\n%s|r(y)|2\n%s|w(y)|3\n%s|rel(l)|4\n' $t $t $t $t
		done
	done >long.std
	printf '%s\n' 'T0|w(x)|a.c:1' 'T0|acq(l)|5' 'T0|rel(l)|6' 'T1|acq(l)|7' 'T1|rel(l)|8' \
		'T1|w(x)|b.c:2' >>long.std
	snag convert long.std long.snag
}

@test "--memory: m2 goes on in windows, says so, and finds a near race" {
	long_trace 2000
	for trace in long.std long.snag; do
		snags analyze --with hb,m2 --memory 100K --json report.json $trace
		[ "$status" = 66 ]
		[[ $output == *"memory limit: m2 looked at "*" windows of "*" events; races between accesses further apart may be missing"* ]]
		[[ $output == *"a.c:1"*"b.c:2"* ]]
		jq -e '.analyses[] | select(.name == "m2") | .complete == false and .windows.count > 2
			and .windows.events > 100 and (.races | length) == 1
			and .races[0].verdict == "predicted"' report.json
	done
	snags analyze --with hb,m2 --memory 100K --witness w long.snag
	snag check long.snag w/race-1.json
}

@test "--memory: relations decide in windows the pairs that lie in one" {
	long_trace 2000
	{
		echo 'T0|w(z)|far.c:1'
		cat long.std
		echo 'T2|w(z)|far.c:2'
	} >far.std
	snag convert far.std far.snag
	for trace in far.std far.snag; do
		snags analyze --with wcp,dc,wdp --memory 100K --json report.json --witness w $trace
		[ "$status" = 66 ]
		[[ $output == *"memory limit: wdp decided its pairs in "*" windows of "*" events; those further apart stay unverified"* ]]
		jq -e '[.analyses[] | select(.name == "wdp" or .name == "dc")] | length == 2 and all(
			.complete == false and .windows.count > 2)' report.json
		jq -e '[.analyses[] | select(.name == "wdp").races[] | {variable, verdict}] | sort ==
			[{variable: "x", verdict: "predicted"}, {variable: "z", verdict: "unverified"}]' report.json
		snag check $trace w/race-1.json
		rm -r w
	done
	# the pair that no window has is a race, too
	snags analyze --with wdp --memory 0 --json - far.snag
	jq -e '[.analyses[0].races[].verdict] == ["predicted", "predicted"]' <<<"$output"
}

@test "--memory 0 and a large one: no windows" {
	long_trace 20
	for memory in 0 1G; do
		snags analyze --with m2 --memory $memory --json - long.snag
		[ "$status" = 66 ]
		jq -e '.analyses[0].complete and .analyses[0].windows == null' <<<"$output"
	done
}

@test "--memory takes sizes" {
	for size in 1000000 100k 64M 1g; do
		snags analyze --memory $size race.std
		[ "$status" = 66 ]
	done
	for size in x 1X -1 1MB 99999999999999G; do
		snags analyze --memory=$size race.std
		refused 2 "snag: analyze: --memory '$size': expected a size, such as 512M or 2G"
	done
}

@test "a lock that is held across windows is held" {
	{
		echo 'T0|acq(l)|1'
		for ((i = 0; i < 4000; i++)); do
			printf '%s\n' 'T0|r(y)|2' 'T0|w(y)|3'
		done
		printf '%s\n' 'T0|w(x)|a.c:1' 'T0|rel(l)|4' 'T1|acq(l)|5' 'T1|w(x)|b.c:2' 'T1|rel(l)|6'
		for ((i = 0; i < 4000; i++)); do
			printf '%s\n' 'T1|r(y)|7' 'T1|w(y)|8'
		done
	} >held.std
	snag convert held.std held.snag
	snags analyze --with m2,lockset --memory 100K --json - held.snag
	jq -e '.analyses[0].windows.count > 2 and
		([.analyses[0].races[] | select(.variable == "x")] == [])' <<<"$output"
}

@test "out of memory: the races found so far, and 66" {
	if is_sanitized; then skip "AddressSanitizer takes much address space"; fi
	command -v "$root/build/bench/gen" >/dev/null || skip "no generator"
	"$root/build/bench/gen" --events 3M --variables 2000 --unprotected 0.05 -o big.snag
	run --separate-stderr bash -c "ulimit -v 220000; '$SNAG' analyze -j1 --memory 0 big.snag"
	[ "$status" = 66 ]
	[[ $stderr == "snag: out of memory"*"snag: data race (observed): "*" at "*"snag: incomplete: out of memory"* ]]
	run --separate-stderr bash -c "ulimit -v 30000; '$SNAG' analyze -j1 --memory 0 big.snag"
	[ "$status" = 125 ]
	# unless told otherwise the limit of the process counts
	run --separate-stderr bash -c "ulimit -v 220000; '$SNAG' analyze -j1 big.snag"
	[ "$status" = 66 ]
	[[ $output == *"memory limit: m2"* ]]
}

cut_program() {
	cat >cut.c <<-'C'
	#include <pthread.h>
	static volatile int x[1 << 22];
	static volatile int early;
	static void *run(void *arg)
	{
		unsigned at = (unsigned)(size_t)arg;
		early++;
		for (unsigned i = 0; i < 500000; i++) {
			at = at * 1664525 + 1013904223;
			x[at >> 10]++;
		}
		return 0;
	}
	int main(void)
	{
		pthread_t t[2];
		for (size_t i = 0; i < 2; i++)
			pthread_create(&t[i], 0, run, (void *)(i + 1));
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
	}
	C
	snag cc -g -pthread cut.c -o cut
}

@test "run: --memory" {
	cat >near.c <<-'C'
	#include <pthread.h>
	static volatile int x, y;
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static void *run(void *arg)
	{
		for (int i = 0; i < 20000; i++) {
			pthread_mutex_lock(&m);
			y++;
			pthread_mutex_unlock(&m);
			if (i % 10 == 0)
				y++;
		}
		return 0;
	}
	int main(void)
	{
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], 0, run, 0);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
	}
	C
	snag cc -g -pthread near.c -o near
	snags run --memory 500K --json report.json ./near
	[ "$status" = 66 ]
	[[ $stderr == *"data race"*"near.c:11"*"memory limit: m2 looked at "* ]]
	jq -e '.analyses[] | select(.name == "m2") | .windows.count > 2 and (.races | length) > 0' report.json
	jq -e '.analyses[] | select(.name == "hb") | (.races | length) > 0' report.json
}

@test "run: --memory: a race of a window is replayed" {
	cat >late.c <<-'C'
	#include <pthread.h>
	static volatile int x, y;
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static void *work(void *arg)
	{
		for (int i = 0; i < 20000; i++) {
			pthread_mutex_lock(&m);
			y++;
			pthread_mutex_unlock(&m);
		}
		return 0;
	}
	static void *first(void *arg)
	{
		x = 1;
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		return 0;
	}
	static void *second(void *arg)
	{
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		x = 2;
		return 0;
	}
	static void both(void *(*a)(void *), void *(*b)(void *))
	{
		pthread_t t[2];
		pthread_create(&t[0], 0, a, 0);
		pthread_create(&t[1], 0, b, 0);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
	}
	int main(void)
	{
		both(work, work);
		both(first, second);
		both(work, work);
	}
	C
	snag cc -g -pthread late.c -o late
	for seed in 1 2 3; do
		snags run --seed $seed --memory 200K --witness w --json report.json ./late
		[ "$status" = 66 ]
		[[ $stderr == *"late.c:24"*"late.c:15"*"Replay: confirmed"*"memory limit: m2 looked at "* ]]
		jq -e '.analyses[] | select(.name == "m2") | .windows.count > 100 and (.races | length) == 1' report.json
		snags replay w/race-1.json ./late
		[[ $stderr == *"replay: confirmed"* ]]
		rm -r w
	done
}

@test "run: a full disk cuts the trace; what was written is analysed" {
	cut_program
	mkdir tmp
	run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 4200; TMPDIR=$PWD/tmp '$SNAG' run ./cut"
	[ "$status" = 66 ]
	[[ $stderr == *"data race"*"cut.c:7"* ]]
	[[ $stderr == *"snag: the trace was cut short, what comes after was not looked at: "*": File too large" ]]
	[ -z "$(ls tmp)" ]
}

@test "run: --disk limits the records of a run; what comes after them is not looked at" {
	cut_program
	mkdir tmp
	snags run --memory 0 --disk 1M ./cut
	[ "$status" = 66 ]
	[[ $stderr == *"data race"*"cut.c:7"* ]]
	[[ $stderr == *"snag: the trace was cut short, what comes after was not looked at: "*": the records of the run reach the limit of --disk" ]]

	# without a race so far; the program goes on to its end
	cat >late.c <<-'C'
	#include <pthread.h>
	#include <stdio.h>
	static int x[2][1 << 18], late;
	static void *run(void *arg)
	{
		int *mine = arg;
		for (unsigned i = 0, at = 1; i < 1000000; i++) {
			at = at * 1664525 + 1013904223;
			mine[at >> 14]++;
		}
		late++;
		return 0;
	}
	int main(void)
	{
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], 0, run, x[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
		printf("%d\n", late);
	}
	C
	snag cc -g -pthread late.c -o late
	TMPDIR=$PWD/tmp snags run --disk 1M ./late
	[ "$status" = 125 ]
	[ "$output" = 2 ]
	[[ $stderr != *"data race"* && $stderr == *"limit of --disk" ]]
	[ -z "$(ls tmp)" ]
	snags run --disk 0 --no-replay ./late
	[ "$status" = 66 ]
	[[ $stderr == *"data race"*"late.c:11"* && $stderr != *"cut short"* ]]
}

@test "run: --disk limits the trace: the one of needed records, a kept one, one of a whole run" {
	cat >loops.c <<-'C'
	#include <pthread.h>
	static int x[1 << 20];
	static void *run(void *arg)
	{
		for (int i = 0; i < 1 << 20; i++)
			x[i]++;
		return arg;
	}
	int main(void)
	{
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], 0, run, 0);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
	}
	C
	snag cc -g -pthread loops.c -o loops
	cut_program
	mkdir tmp
	TMPDIR=$PWD/tmp snags run --no-replay --disk 16K ./loops # its records take less than 8K
	[ "$status" = 66 ]
	[[ $stderr == *"data race"*"loops.c:6"*"cut short"*"run.snag: the trace reaches the limit of --disk" ]]
	[ -z "$(ls tmp)" ]
	TMPDIR=$PWD/tmp snags run --no-replay --disk 1M ./loops
	[[ $status = 66 && $stderr != *"cut short"* ]]

	snags run --no-replay --keep kept.snag --disk 1M ./cut
	[ "$status" = 66 ]
	[[ $stderr == *"data race"*"cut short"*"kept.snag: the trace reaches the limit of --disk" ]]
	[ "$(stat -c %s kept.snag)" -lt 1500000 ]
	snags analyze --with hb kept.snag
	[ "$status" = 66 ]
	TMPDIR=$PWD/tmp snags run --with wcp --no-replay --disk 1M ./cut
	[[ $status = 66 && $stderr == *"run.snag: the trace reaches the limit of --disk" ]]
	snags run --no-replay --keep all.snag ./cut
	[[ $status = 66 && $stderr != *"cut short"* ]]
	[ "$(stat -c %s all.snag)" -gt 1500000 ]
}

# Runs a command that gets SIGTERM.  `timeout` sends SIGCONT behind it, which takes away the SIGSTOP
# with which LeakSanitizer stops a process: a sanitized build would wait for it for ever.
terminate() { # SECONDS COMMAND...
	run --separate-stderr env ASAN_OPTIONS=detect_leaks=0 \
		timeout --preserve-status -s TERM "$@"
	echo "after $1: $status; $output; $stderr"
	[ "$status" = 66 ] || [ "$status" = 143 ]
}

@test "SIGTERM during the analysis: what was found, never 0" {
	command -v "$root/build/bench/gen" >/dev/null || skip "no generator"
	"$root/build/bench/gen" --events 3M --variables 2000 --unprotected 0.05 -o big.snag
	for after in 0.2 0.6 1.2; do
		terminate $after "$SNAG" analyze -j1 --pairs --memory 20M big.snag
		[ "$status" = 143 ] || [[ $output == *"found in big.snag"* ]]
	done
}

@test "run: SIGTERM, to the program or during the analysis: what was found, never 0" {
	cut_program
	for after in 0.5 2 4; do
		terminate $after "$SNAG" run --no-replay ./cut
		[ "$status" = 143 ] || [[ $stderr == *"data race"* ]]
	done
}
