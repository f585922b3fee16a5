#!/usr/bin/env bats
# snag task: programs of the small task language.
load helper

tasks() {
	echo "$root/tests/tasks"
}

program() { # NAME, text on standard input
	cat >"$1"
}

@test "a race, for people" {
	cp "$(tasks)/child_and_parent.task" p.task
	snags task p.task
	[ "$status" = 66 ]
	normal=$(sed -E 's/\([0-9.]+ s\)/(T s)/' <<<"$output")
	output=$normal
	matches task-race
}

@test "a deadlock with a race before it" {
	cp "$(tasks)/deadlock_race.task" p.task
	snags task p.task
	[ "$status" = 66 ]
	normal=$(sed -E 's/\([0-9.]+ s\)/(T s)/' <<<"$output")
	output=$normal
	matches task-deadlock
	snags task "$(tasks)/deadlock.task"
	[ "$status" = 0 ]
	[[ $output == *"drdp: deadlock, race-free up to it"* ]]
}

@test "the JSON has what the contract says" {
	snags task --json - "$(tasks)/drdp_fig1.task"
	[ "$status" = 66 ]
	[ "$(jq -r '.detectors[0].name' <<<"$output")" = drdp ]
	[ "$(jq -r '.detectors[0].verdict' <<<"$output")" = race ]
	[ "$(jq -c '.detectors[0].races[0] | [.variable, .first.line, .first.op, .first.task,
		.second.line, .second.op, .second.task]' <<<"$output")" = '["@9",12,"write",1,16,"read",0]' ]
	snags task --explore --json - "$(tasks)/espbags_fig7.task"
	[ "$status" = 66 ]
	[ "$(jq -c '.explore | [.exhaustive, .racy_variables, .final_states, .deterministic, .deadlock]' \
		<<<"$output")" = '[true,["x"],3,false,false]' ]
	[ "$(jq -r '.detectors[0].verdict' <<<"$output")" = no-race-found ]
	[ "$(jq '.explore.schedules' <<<"$output")" -ge 2 ]
}

@test "verdicts of several detectors, text and JSON at once" {
	snags task --with all --json r.json "$(tasks)/zipper_fig2.task"
	[ "$status" = 66 ]
	[ "$(jq -c '[.detectors[] | [.name, .verdict]]' r.json)" = \
		'[["espbags","race"],["drdp","race"],["sections","no-race-found"],["cg","no-race-found"],["zipper","no-race-found"],["isograph","no-race-found"]]' ]
	[[ $output == *"RACE x:"* ]]
	snags task --with isograph --explore "$(tasks)/zipper_fig2.task"
	[ "$status" = 0 ]
	[[ $output == *"explore: race-free"* ]]
	snags task --with espbags --explore "$(tasks)/zipper_fig2.task" # one schedule says less than all
	[ "$status" = 0 ]
	[[ $output == *"the races reported above are false"* ]]
}

@test "the verdict names those that found the races" {
	cp "$(tasks)/zipper_fig2.task" p.task
	snags task --with espbags,isograph p.task
	[ "${lines[0]}" = "1 race found in p.task by espbags" ]
	snags task --with isograph,cg p.task
	[ "${lines[0]}" = "no race found in p.task by isograph and cg" ]
}

@test "a race-free program" {
	snags task "$(tasks)/drdp_fig6.task"
	[ "$status" = 0 ]
	[[ $output == *"drdp: race-free, on every schedule of this input"* ]]
	snags task --stats "$(tasks)/drdp_fig6.task"
	[[ $output == *"1 wait that had to wait"* ]]
	[[ $output == *"  waits                          3"* ]]
	snags task --stats --json - "$(tasks)/drdp_fig6.task"
	[ "$(jq -c '[.blocked, .detectors[0].stats.waits]' <<<"$output")" = '[1,3]' ]
}

@test "detectors refuse what they cannot judge, with the place" {
	cp "$(tasks)/drdp_fig1.task" p.task
	snags task --with espbags p.task
	refused 2 "snag: task: p.task:13:3: espbags cannot judge programs with 'set'"
	snags task --with drdp,spbags p.task
	refused 2 "snag: task: p.task:13:3: spbags cannot judge programs with 'set'"
	cp "$(tasks)/espbags_fig7.task" p.task
	snags task --with spbags p.task
	refused 2 "snag: task: p.task:11:2: spbags cannot judge programs with 'finish'"
	snags task --with hb p.task
	refused 2 "snag: task: --with: unknown detector 'hb'*known: spbags, espbags, drdp*"
}

@test "bad programs" {
	program p.task <<<'main { x = 1; }'
	snags task p.task
	refused 2 "snag: task: p.task:1:8: 'x' is not declared"
	program p.task <<<'main { isolated { async { } } }'
	snags task p.task
	refused 2 "snag: task: p.task:1:19: an isolated block cannot contain 'async'"
	program p.task <<<'var x; main { while (1) { x = x; } }'
	snags task --steps 1000 p.task
	refused 2 "snag: task: p.task:1:*: more than 1000 steps, see --steps"
	snags task --steps 1000 --explore p.task
	[ "$status" = 0 ]
	[[ $output == *"(the depth-first run did not end in 1000 steps)"* ]]
	program p.task <<<'promise p; main { set p; set p; }'
	snags task p.task
	refused 2 "snag: task: p.task:1:26: promise 'p' is set already, at 1:19"
	snags task none.task
	refused 2 "snag: task: none.task: No such file or directory"
	snags task .
	refused 2 "snag: task: .: *directory*"
	cp "$(tasks)/drdp_fig1.task" p.task
	snags task --json p.task p.task
	refused 2 "snag: task: p.task: is both input and output"
	head -c 3000 /dev/urandom >p.task
	snags task p.task
	[ "$status" = 2 ]
	[ "$(wc -l <<<"$stderr")" = 1 ]
}

@test "a program from standard input" {
	run --separate-stderr bash -c "echo 'var x; main { async { x = 1; } x = 2; }' | '$SNAG' task -"
	[ "$status" = 66 ]
	[[ $output == *"1 race found in <stdin> by drdp"* ]]
}

@test "a recorded run gives the same verdicts" {
	for p in drdp_fig1 drdp_fig6 errata_a2_owner espbags_fig2 deadlock_race spawn_frames; do
		run "$SNAG" task --record "$p.snag" "$(tasks)/$p.task"
		first=$status
		run "$SNAG" analyze --with drdp "$p.snag"
		[ "$status" = "$first" ]
	done
	snags task --record r.std "$(tasks)/drdp_fig1.task"
	refused 2 "snag: task: r.std: *"
}

@test "all races in the JSON, the first ones in the text" {
	snags task --limit 2 --json r.json "$(tasks)/table3_Antidep1OrigYes.task"
	[ "$status" = 66 ]
	[ "$(grep -c '^RACE' <<<"$output")" = 2 ]
	[[ $output == *"... and 996 more races, see --limit"* ]]
	[ "$(jq '[.detectors[0].races[].variable] | unique | length' r.json)" = 998 ]
}

@test "the steps of a detector, as in tables 1 and 2 of the paper" {
	cp "$(tasks)/zipper_fig3.task" "$(tasks)/zipper_fig2.task" .
	output=$("$SNAG" task --with zipper --trace zipper_fig3.task | sed '/^$/,$d')
	matches task-trace-zipper
	output=$("$SNAG" task --with espbags --trace zipper_fig2.task | sed '/^$/,$d')
	matches task-trace-espbags
	snags task --trace zipper_fig3.task
	refused 2 "snag: task: --trace shows the steps of one detector: --with zipper, espbags or spbags"
	snags task --with zipper --trace --json - zipper_fig3.task
	refused 2 "snag: task: --trace writes to standard output, too"
	snags task --with zipper --trace "$(tasks)/drdp_fig1.task"
	[ "${lines[0]}" = "no steps: the graph was judged by closure" ]
}

@test "fork and join by promises: a search goes down one path" {
	snags task --stats "$(tasks)/forkjoin_promises.task"
	[ "$status" = 0 ]
	[ "$(sed -nE 's/^  most lists visited +//p' <<<"$output")" -le 13 ] # 12 levels
}

@test "updates that commute need one order" {
	cat >p.task <<-'END'
		var n, product = 1, flag, least = 9, i, x;
		main {
			finish {
				while (i < 8) {
					let k = i;
					async { isolated { n = n + k; product = product * 3; flag = 1; } }
					i = i + 1;
				}
			}
			if (n == 28) { x = least; }
		}
	END
	"$SNAG" task --explore --json r.json p.task
	[ "$(jq -c '.explore | [.verdict, .schedules, .graphs, .final_states, .exhaustive]' r.json)" = \
		'["race-free",1,1,1,true]' ]
	sed -i 's/flag = 1;/if (k < least) { least = k; }/; s/i < 8/i < 4/' p.task # may write or not
	"$SNAG" task --explore --json r.json p.task
	[ "$(jq -c '.explore | [.verdict, .schedules > 1, .final_states]' r.json)" = '["race-free",true,1]' ]
	sed -i 's/n = n + k;/n = n + k; if (n == 3) { x = k; }/' p.task # the order matters
	"$SNAG" task --explore --json r.json p.task
	[ "$(jq -c '.explore | [.verdict, .schedules]' r.json)" = '["race-free",24]' ]
}

@test "a picture" {
	snags task --dot g.dot "$(tasks)/drdp_fig1.task"
	[ "$status" = 66 ]
	grep -q digraph g.dot
	grep -q red g.dot
	snags task --dot - "$(tasks)/drdp_fig1.task"
	[ "$status" = 66 ]
	[ "$output" = "$(cat g.dot)" ]
	snags task --dot - --json - "$(tasks)/drdp_fig1.task"
	refused 2 "snag: task: --json and --dot cannot both be -"
}

@test "explorations are bounded and say so" {
	program p.task <<-'EOF'
		var x[8], y, i;
		main {
			while (i < 8) {
				let k = i;
				async { isolated { y = 3 * y + k; } }
				i = i + 1;
			}
		}
	EOF
	snags task --explore --schedules 100 --json - p.task
	[ "$status" = 0 ]
	[ "$(jq -c '.explore | [.schedules, .exhaustive, .deterministic]' <<<"$output")" = '[100,false,false]' ]
	[ "$(jq -r '.explore.verdict' <<<"$output")" = no-race-found ]
	snags task --explore --seconds 0.02 --json - p.task
	[ "$status" = 0 ]
	[ "$(jq -c '.explore.exhaustive' <<<"$output")" = false ]
	for limit in "schedules 100" "schedules 0" "seconds 0.5"; do
		snags task --${limit% *} ${limit#* } p.task
		[ "$status" = 2 ]
		[ "$stderr" = "snag: task: --${limit% *} limits --explore, which is not given" ]
	done
	for bad in -1 1. .5 1e3 0x1 1.2.3 "" 5000000000; do
		snags task --explore --seconds "$bad" p.task
		[ "$status" = 2 ]
		[ "$stderr" = "snag: task: --seconds '$bad': expected seconds from 0 to 4294967295, such as 0.5" ]
	done
}

@test "many tasks" {
	program p.task <<-'EOF'
		var a[100], i;
		main {
			finish {
				while (i < 100000) {
					let k = i % 100;
					async { let r = a[k]; }
					i = i + 1;
				}
			}
		}
	EOF
	snags task --json - p.task
	[ "$status" = 0 ]
	[ "$(jq -c '[.tasks, .detectors[0].verdict]' <<<"$output")" = '[100001,"race-free"]' ]
}

@test "races of tasks are listed for every variable, however many" {
	cat >many.task <<-'EOF'
		var a[120000];
		var i;
		var j;
		main {
			async { while (i < 120000) { a[i] = 1; i = i + 1; } }
			while (j < 120000) { a[j] = 2; j = j + 1; }
		}
	EOF
	snags task --with drdp --json - many.task
	[ "$status" = 66 ]
	[ "$(jq '.detectors[0].races | length' <<<"$output")" = 120000 ]
}

@test "the races before an error" {
	cat >e.task <<-'END'
		var x;
		promise p;
		main { async { x = 1; } x = 2; set p; set p; }
	END
	run --separate-stderr "$SNAG" task --json r.json e.task
	[ "$status" = 66 ]
	[[ $output == *"RACE x:"* ]]
	[ "$stderr" = "snag: task: e.task:3:39: promise 'p' is set already, at 3:32" ]
	[ "$(jq -r '.detectors[0].verdict' r.json)" = race ]
	sed -i 's/async { x = 1; }//' e.task # without a race it is an error and no more
	run --separate-stderr "$SNAG" task e.task
	[ "$status" = 2 ]
	[ -z "$output" ]
}

@test "a race that decides which tasks there are" {
	echo 'var x; main { finish { async { x = 1; } if (x == 1) { async { skip; } } } }' >d.task
	run "$SNAG" task --explore --json - d.task
	[ "$(jq -c '.explore | [.final_states, .deterministic]' <<<"$output")" = '[1,false]' ]
	echo 'var x; main { finish { async { isolated { x = x + 1; } } isolated { x = x + 1; } } }' >d.task
	run "$SNAG" task --explore --json - d.task
	[ "$(jq -c '.explore | [.final_states, .deterministic]' <<<"$output")" = '[1,true]' ]
}
