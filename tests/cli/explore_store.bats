#!/usr/bin/env bats
# snag explore --shard and snag merge: one search, many workers.
load helper

build_three() {
	cat >three.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		static int x, last;
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static void *run(void *arg)
		{
			for (int i = 0; i < 3; i++) {
				pthread_mutex_lock(&m);
				x++;
				last = (int)(long)arg;
				pthread_mutex_unlock(&m);
			}
			return arg;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[3];
			for (long i = 0; i < 3; i++)
				pthread_create(&t[i], 0, run, (void *)i);
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], 0);
			return argc > 1 && last == 0 ? 7 : 0;
		}
	END
	"$SNAG" cc -O1 -g -pthread -o three three.c
}

worker() { # SHARD STORE [ARGS...]
	snag explore --shard "$1" --store "$2" --policy pos --schedules 600 --jobs 1 ./three "${@:3}"
}

classes() { # STORE
	snag merge --json sum.json "$1" >/dev/null
	jq -r '.explore | "\(.schedules) \(.classes) \(.orders) \(.ended)"' sum.json
}

@test "the same schedules, whatever the number of shards" {
	build_three
	worker 1/1 one 2>/dev/null
	local expected
	expected=$(classes one)
	for i in 1 2 3 4; do
		worker $i/4 four 2>/dev/null
	done
	[ "${expected% *}" = "$(classes four | sed 's/ 4$//')" ]
	[ "$(classes four | cut -d' ' -f1)" = 600 ]
}

@test "a killed worker loses its shard only; it can be run again" {
	build_three
	worker 1/2 store 2>/dev/null
	"$SNAG" explore --shard 2/2 --store store --policy pos --schedules 600 --jobs 1 ./three 2>/dev/null &
	kill -9 $!
	wait $! || true
	rm -f store/shard-2.json # if it was faster
	snags merge store
	[ "$status" = 2 ]
	[ "$stderr" = "snag: merge: store: these shards have no result yet: 2" ]
	worker 2/2 store 2>/dev/null
	local first
	first=$(classes store)
	run --separate-stderr worker 2/2 store # again changes nothing
	[ "$status" = 0 ]
	[ "$stderr" = "snag: explore: store: shard 2/2 has ended before" ]
	[ "$first" = "$(classes store)" ]
	worker 1/1 alone 2>/dev/null
	[ "$(classes alone | cut -d' ' -f1-3)" = "$(cut -d' ' -f1-3 <<<"$first")" ]
}

@test "failures of any shard" {
	build_three
	for i in 1 2; do
		worker $i/2 store fails 2>/dev/null || [ $? = 66 ]
	done
	snags merge --json r.json store
	[ "$status" = 66 ]
	[ "$(jq -r .explore.failure r.json)" = status ]
	local file
	file=$(jq -r '.explore.failures[0].file' r.json)
	snags replay "store/$file" ./three fails
	[ "$status" = 66 ]
	run --separate-stderr worker 1/2 store fails
	[ "$status" = 66 ]
}

@test "a store of another search, and two workers with one shard: one line" {
	build_three
	worker 1/2 store 2>/dev/null
	snags explore --shard 1/3 --store store --policy pos --schedules 600 ./three
	refused 2 'snag: explore: store: is the store of another search: it has another number of shards'
	snags explore --shard 2/2 --store store --policy pct --schedules 600 ./three
	refused 2 'snag: explore: store: is the store of another search: it has another policy'
	snags explore --shard 2/2 --store store --policy pos --schedules 600 ./three word
	refused 2 'snag: explore: store: is the store of another search: it has other arguments*'
	cp three other
	"$SNAG" cc -O0 -g -pthread -o three three.c
	snags explore --shard 2/2 --store store --policy pos --schedules 600 ./three
	refused 2 'snag: explore: store: is the store of another search: it has another program*'
	mv other three
	flock store/shard-2.lock sleep 5 &
	sleep 0.5
	snags explore --shard 2/2 --store store --policy pos --schedules 600 ./three
	refused 2 'snag: explore: store: shard 2/2 is being run by another worker'
	kill $!
	for bad in 0/2 3/2 1 a/b 1/2x -1/2; do
		snags explore --shard $bad --store store ./three
		refused 2 'snag: explore: --shard: expected I/N*'
	done
	snags explore --shard 1/2 ./three
	refused 2 'snag: explore: --shard: needs --store DIR'
	snags explore --shard 1/2 --store new --exhaustive ./three
	refused 2 'snag: explore: --exhaustive: not with --store*'
	snags merge nowhere
	refused 2 'snag: merge: nowhere/search.json: No such file or directory'
	mkdir odd
	echo '{"shards": "many"}' >odd/search.json
	snags merge odd
	refused 2 "snag: merge: odd/search.json: is no search of 'snag explore'"
	echo '{"shard": 1' >store/shard-2.json
	snags merge store
	refused 2 'snag: merge: store/shard-2.json:*: *'
}

@test "GNU parallel" {
	command -v parallel >/dev/null || skip "parallel is not installed"
	build_three
	parallel -j2 "$SNAG" explore --shard {}/8 --store store --schedules 160 --jobs 1 ./three ::: 1 2 3 4 5 6 7 8 2>/dev/null
	snags merge store
	[ "$status" = 0 ]
	grep -q '^snag: merge: 8 of 8 shards: no failure in 160 schedules' <<<"$output"
}

@test "a Slurm job array on two nodes" {
	build_three
	run "$root/tests/explore/slurm.sh" "$SNAG" "$PWD/three" "$PWD/store" 400
	echo "$output"
	[ "$status" = 77 ] && skip "${lines[-1]}"
	[ "$status" = 0 ]
	grep -q '^snag: merge: 2 of 2 shards: no failure in 400 schedules' <<<"$output"
}

@test "the manifest of an indexed job" {
	python3 - "$root/docs/examples/explore-job.yaml" <<-'END' || skip "python3 has no module yaml"
		import sys
		try:
		    import yaml
		except ImportError:
		    sys.exit(1)
		job = yaml.safe_load(open(sys.argv[1]))
		spec = job["spec"]
		assert job["kind"] == "Job" and job["apiVersion"] == "batch/v1"
		assert spec["completionMode"] == "Indexed" and spec["completions"] == 100
		worker = spec["template"]["spec"]["containers"][0]
		assert "--shard $((JOB_COMPLETION_INDEX + 1))/100" in worker["command"][2]
		volumes = {v["name"] for v in spec["template"]["spec"]["volumes"]}
		assert {m["name"] for m in worker["volumeMounts"]} <= volumes
	END
}
