#!/usr/bin/env bats
# snag analyze --shard and snag merge: the candidates of one trace, many workers.
load helper

# Four threads that read and write at 16 locations, some of it under a lock: about a hundred pairs of
# locations.
trace_make() { # FILE
	awk 'BEGIN {
		for (i = 0; i < 240; i++) {
			t = i % 4; v = int(i / 4) % 5; loc = 10 * t + int(i / 16) % 4
			if (i % 7 == 0) printf "T%d|acq(l)|%d\n", t, 900 + t
			printf "T%d|%s(V%d)|%d\n", t, i % 3 ? "r" : "w", v, loc
			if (i % 7 == 0) printf "T%d|rel(l)|%d\n", t, 950 + t
		}
	}' >"$1"
}

worker() { # SHARD STORE TRACE [OPTIONS...]
	snag analyze --shard "$1" --store "$2" "${@:4}" "$3"
}

# The JSON without what two runs may differ in.
plain() { # FILE
	jq -S 'del(.analyses[].seconds)' "$1"
}

same_union() { # OPTIONS...
	rm -rf store
	snag analyze "$@" --json whole.json trace.std >/dev/null || [ $? = 66 ]
	for i in 1 2 3; do
		worker $i/3 store trace.std "$@" >/dev/null 2>&1 || [ $? = 66 ]
		cp store/shard-$i.json part-$i.json
	done
	snag merge --json sum.json store >/dev/null || [ $? = 66 ]
	diff <(plain whole.json) <(plain sum.json)
}

@test "three shards together find what one analysis finds" {
	trace_make trace.std
	same_union --with m2,hb,deadlock,wdp
	# Each shard decided a part.
	local all part
	all=$(jq '.analyses[0].races | length' whole.json)
	[ "$all" -gt 20 ]
	for i in 1 2 3; do
		part=$(jq '.analyses[0].races | length' part-$i.json)
		[ "$part" -gt 0 ]
		[ "$part" -lt "$all" ]
	done
	[ "$(jq '.analyses[0].complete' sum.json)" = true ]
	same_union --with m2,wcp --pairs
	same_union --with syncp,dc
}

@test "the text of a merged analysis" {
	trace_make trace.std
	for i in 1 2; do
		worker $i/2 store trace.std --with m2 >out$i 2>err || [ $? = 66 ]
		[ "$(cat err)" = "snag: analyze: shard $i/2: only its part of the candidates" ]
	done
	snags merge store
	[ "$status" = 66 ]
	grep -q '^snag: merge: 2 of 2 shards: m2: [0-9]* races, none is missing$' <<<"$output"
	[ "$(grep -c '^snag: merge: m2: race at ' <<<"$output")" = \
	  "$(snag analyze --with m2 --json - trace.std 2>/dev/null | jq '.analyses[0].races | length')" ]
}

@test "a worker that is killed loses its shard only" {
	trace_make trace.std
	worker 1/2 store trace.std --with m2 >/dev/null 2>&1 || [ $? = 66 ]
	# As a worker that was killed leaves it: a lock that nobody holds, and no result.
	: >store/shard-2.lock
	snags merge --json sum.json store
	[ "$status" = 66 ] # shard 1 has races
	grep -q '^snag: merge: 1 of 2 shards: m2: [0-9]* races$' <<<"$output"
	[ "$(jq '.analyses[0].complete' sum.json)" = false ]
	worker 2/2 store trace.std --with m2 >/dev/null 2>&1 || [ $? = 66 ]
	cp store/shard-2.json before.json
	run --separate-stderr worker 2/2 store trace.std --with m2 # again changes nothing
	[ "$status" = 66 ]
	[ "${stderr_lines[1]}" = "snag: analyze: store: shard 2/2 has ended before" ]
	cmp before.json store/shard-2.json
	snags merge store
	grep -q '^snag: merge: 2 of 2 shards: m2: [0-9]* races, none is missing$' <<<"$output"
}

@test "shards that are missing, where no race was found" {
	printf 'T0|acq(l)|1\nT0|w(x)|2\nT0|rel(l)|3\nT1|acq(l)|4\nT1|w(x)|5\nT1|rel(l)|6\n' >trace.std
	worker 2/3 store trace.std >/dev/null 2>&1
	snags merge store
	[ "$status" = 2 ]
	[ "$stderr" = "snag: merge: store: these shards have no result yet: 1, 3" ]
}

@test "two workers with one shard, and stores of something else: one line" {
	trace_make trace.std
	worker 1/2 store trace.std --with m2 >/dev/null 2>&1 || [ $? = 66 ]
	{
		flock -n 9
		snags analyze --shard 2/2 --store store --with m2 trace.std
	} 9>store/shard-2.lock
	[ "$status" = 2 ]
	[ "${stderr_lines[-1]}" = "snag: analyze: store: shard 2/2 is being run by another worker" ]
	cp trace.std other.std
	echo 'T0|w(V1)|77' >>other.std
	snags analyze --shard 2/2 --store store --with m2 other.std
	[ "$status" = 2 ]
	[ "${stderr_lines[-1]}" = "snag: analyze: store: is the store of another search: it has another trace" ]
	snags analyze --shard 2/2 --store store --with hb trace.std
	[ "$status" = 2 ]
	[ "${stderr_lines[-1]}" = "snag: analyze: store: is the store of another search: it has other detectors" ]
	snags analyze --shard 2/3 --store store --with m2 trace.std
	[ "$status" = 2 ]
	[ "${stderr_lines[-1]}" = "snag: analyze: store: is the store of another search: it has another number of shards" ]
	snags analyze --shard 2/2 --store store --with m2 --pairs trace.std
	[ "$status" = 2 ]
	[ "${stderr_lines[-1]}" = "snag: analyze: store: is the store of another search: it has other options" ]
	snags analyze --shard 3/2 trace.std
	[ "$status" = 2 ]
	[ "$stderr" = "snag: analyze: --shard: expected I/N with I from 1 to N, not '3/2'" ]
	snags analyze --shard 1/2 --store store - <trace.std
	[ "$status" = 2 ]
	[ "${stderr_lines[-1]}" = "snag: analyze: --store: needs a trace in a file" ]
	snags analyze --shard 1/2 --pair 1,2 trace.std
	[ "$status" = 2 ]
	echo '{"analyses": 1}' >store/shard-2.json
	snags merge store
	[ "$status" = 2 ]
	[ "$stderr" = "snag: merge: store/shard-2.json: is no result of a shard" ]
}
