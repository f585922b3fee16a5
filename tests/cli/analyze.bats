#!/usr/bin/env bats
# snag analyze: reports, JSON, choice of detectors, exit status.
load helper

@test "the report of the example" {
	cp "$bank" .
	snags analyze bank.std
	[ "$status" = 66 ]
	[ -z "$stderr" ]
	matches analyze-bank
}

@test "several detectors: each race once, the strongest verdict first" {
	cp "$bank" .
	snags analyze --with hb,shb,lockset bank.std
	[ "$status" = 66 ]
	matches analyze-bank-several
	[ "$(grep -c '^RACE ' <<<"$output")" = 3 ]
	[ "$(grep '^RACE ' <<<"$output" | head -1)" = "RACE observed balance: bank.c:17 / bank.c:15" ]
}

@test "the verdict is the first and the last line" {
	snags analyze race.std
	[ "${lines[0]}" = "1 race found in race.std: 1 observed" ]
	[ "${lines[-1]}" = "SUMMARY: snag: 1 race found in race.std: 1 observed" ]
}

@test "no race: exit 0, and what that means" {
	snags analyze --with hb clean.std
	[ "$status" = 0 ]
	matches analyze-clean
}

@test "JSON of figure 1a" {
	snags analyze --with hb,shb,lockset --json - figure.std
	[ "$status" = 66 ]
	[ -z "$stderr" ]
	[ "$(jq -c .trace <<<"$output")" = \
		'{"events":7,"threads":2,"variables":1,"locks":1,"skipped":0}' ]
	[ "$(jq -c '[.analyses[].name]' <<<"$output")" = '["hb","shb","lockset"]' ]
	[ "$(jq -c '[.analyses[].racy_events]' <<<"$output")" = '[[],[],[6]]' ]
	[ "$(jq -c '[.analyses[].complete]' <<<"$output")" = '[false,false,false]' ]
	[ "$(jq '[.analyses[].seconds | numbers] | length' <<<"$output")" = 3 ]
	[ "$(jq 'has("interrupted")' <<<"$output")" = false ]
	matches analyze-figure-json
}

@test "--stats: what the detectors count, in the text and in the JSON" {
	snags task --record run.snag "$BATS_TEST_DIRNAME/../tasks/drdp_fig6.task"
	snags analyze --stats --with drdp run.snag
	[[ $output == *"  waits                          3"* ]]
	snags analyze --stats --with all --json - run.snag
	[ "$(jq -c '[.analyses[] | .name, .stats.waits, .stats.edges]' <<<"$output")" = \
		'["drdp",3,null,"sections",3,null,"cg",null,10,"zipper",null,10,"isograph",null,10]' ]
	snags analyze --stats --with all run.snag
	[ "$(grep -c '^  nodes  *9$' <<<"$output")" = 3 ]
	snags analyze --with drdp --json - run.snag
	[ "$(jq '.analyses[0] | has("stats")' <<<"$output")" = false ]
	snags analyze --stats --with hb --json - race.std
	[ "$(jq -c '.analyses[0].stats' <<<"$output")" = '{}' ]
}

@test "locations[0] belongs to the first event" {
	snags analyze --with hb --json - race.std
	[ "$(jq -c '.analyses[0].races[0] |
		[.first, .second, .variable, .locations, .verdict, .count, .threads, .operations]' \
		<<<"$output")" = '[0,1,"x",["a.c:1","b.c:2"],"observed",1,["T0","T1"],["w","r"]]' ]
}

@test "--json FILE: the text stays, the file is whole and ends with a newline" {
	snags analyze race.std
	text=$(without_times <<<"$output")
	snags analyze --json out.json race.std
	[ "$status" = 66 ]
	[ "$(without_times <<<"$output")" = "$text" ]
	jq -e '.analyses[0].racy_events == [1]' out.json
	[ "$(tail -c1 out.json | od -An -tx1)" = " 0a" ]
	[ "$(ls)" = $'clean.std\nfigure.std\nout.json\nrace.std' ]
}

@test "default, all, and chosen detectors" {
	snags analyze --json - race.std
	[ "$(jq -c '[.analyses[].name]' <<<"$output")" = \
		"$(snag list --json | jq -c '[.detectors[] | select(.default and .kind != "tasks") | .name]')" ]
	snags analyze --with all --json - race.std
	[ "$(jq -c '[.analyses[].name]' <<<"$output")" = \
		"$(snag list --json | jq -c '[.detectors[] | select(.kind != "tasks") | .name]')" ]
	snags analyze --with lockset,hb,lockset --json - race.std
	[ "$(jq -c '[.analyses[].name]' <<<"$output")" = '["lockset","hb"]' ]
}

@test "unknown detectors" {
	snags analyze --with hb,shc race.std
	refused 2 "snag: analyze: --with: unknown detector 'shc' (did you mean 'shb'[?]); known: hb, shb, *lockset*"
	snags analyze --with hb, race.std
	refused 2 "snag: analyze: --with: unknown detector ''; known: *"
	snags analyze --with "$(head -c 5000 /dev/zero | tr '\0' a)" race.std
	refused 2 "snag: analyze: --with: unknown detector 'aaa*"
}

@test "--pairs lists pairs of events" {
	printf '%s\n' 'T0|w(x)|1' 'T0|w(x)|1' 'T1|r(x)|2' 'T1|w(x)|2' >twice.std
	snags analyze --with hb --json - twice.std
	[ "$(jq -c '[.analyses[0].races[] | [.first, .second, .count]]' <<<"$output")" = '[[1,2,4]]' ]
	snags analyze --with hb --pairs --json - twice.std
	[ "$(jq -c '[.analyses[0].races[] | [.first, .second, .count]]' <<<"$output")" = \
		'[[0,2,1],[1,2,1],[0,3,1],[1,3,1]]' ]
	snags analyze --pairs --with hb,lockset twice.std
	[ "$(grep -c '^RACE observed x: 1 / 2$' <<<"$output")" = 4 ]
}

@test "many races: the first 20, --limit N, 0 is all" {
	for i in $(seq 30); do echo "T0|w(x$i)|a:$i"; done >many.std
	for i in $(seq 30); do echo "T1|w(x$i)|b:$i"; done >>many.std
	snags analyze --with hb many.std
	[ "$(grep -c '^RACE' <<<"$output")" = 20 ]
	[[ $output == *"10 more races not shown (--limit 0 shows all)"* ]]
	[ "${lines[0]}" = "30 races found in many.std: 30 observed" ]
	snags analyze --with hb --limit 29 many.std
	[ "$(grep -c '^RACE' <<<"$output")" = 29 ]
	[[ $output == *"1 more race not shown"* ]]
	snags analyze --with hb --limit 0 many.std
	[ "$(grep -c '^RACE' <<<"$output")" = 30 ]
	[[ $output != *"not shown"* ]]
	snags analyze --with hb --limit 3 --json - many.std
	[ "$(jq '.analyses[0].races | length' <<<"$output")" = 30 ]
}

# $1 threads that write x, each at a location of its own, and are joined.
threads_make() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) print "M|fork(T" i ")|m:1"
		for (i = 0; i < n; i++) print "T" i "|w(x)|a:" i
		for (i = 0; i < n; i++) print "M|join(T" i ")|m:2"
	}'
}

@test "--max-races bounds what is listed, and the report says so" {
	threads_make 40 >threads.std
	snags analyze --with hb --json - threads.std
	[ "$(jq -c '.analyses[0] | [(.races | length), .pairs, has("abridged")]' <<<"$output")" = \
		'[780,780,false]' ]
	snags analyze --with hb --max-races 10 --json - threads.std
	[ "$(jq -c '.analyses[0].racy_events' <<<"$output")" = "$(seq 41 79 | jq -sc .)" ]
	[ "$(jq '.analyses[0] | .abridged > 0 and .pairs == (.races | length)' <<<"$output")" = true ]
	[ "$(jq '[.analyses[0].races[].locations[]] | unique | length' <<<"$output")" = 40 ]
	snags analyze --with hb --max-races 10 threads.std
	[[ ${lines[0]} == "at least "*" races found in threads.std: "*" observed" ]]
	[[ $output == *" racy events may race with more accesses than these pairs (--max-races 0 lists all)"* ]]
	snags analyze --with hb --max-races 10 --pairs --json - threads.std
	[ "$(jq '.analyses[0].races | length' <<<"$output")" = 10 ]
	snags analyze --with hb --max-races 0 threads.std
	[ "${lines[0]}" = "780 races found in threads.std: 780 observed" ]
}

@test "the cost of many threads and locations is not quadratic" {
	if is_sanitized; then skip "AddressSanitizer takes much address space"; fi
	limits="ulimit -v 1000000; ulimit -t 60;"
	threads_make 30000 >threads.std
	run bash -c "$limits '$SNAG' analyze --with hb,shb,mixed,lockset,hybrid --limit 1 threads.std"
	[ "$status" = 66 ]
	[[ $output == *"at least "*" races found in threads.std"* ]]
	threads_make 4000 >threads.std
	run bash -c "$limits '$SNAG' analyze --with m2,wdp --max-races 1000 --json t.json --limit 1 threads.std"
	[ "$status" = 66 ]
	[ "$(jq -c '[.analyses[] | .complete, .abridged > 0]' t.json)" = '[false,true,false,true]' ]
	[ "$(jq '[.analyses[1].racy_events | length] == [3999]' t.json)" = true ]
	awk 'BEGIN { for (i = 0; i < 60000; i++) print "T" i % 2 "|w(x)|a:" i }' >locations.std
	run bash -c "$limits '$SNAG' analyze --with hb --limit 1 locations.std"
	[ "$status" = 66 ]
	# The clocks: threads that hand a lock around, and inherit what all know.
	awk 'BEGIN {
		for (round = 0; round < 2; round++) {
			for (i = 0; i < 30000; i++) print "M|fork(T" round "." i ")|m:1"
			for (i = 0; i < 30000; i++) print "T" round "." i "|acq(l)|m:2\nT" round "." i "|rel(l)|m:3"
			for (i = 0; i < 30000; i++) print "M|join(T" round "." i ")|m:4"
		}
	}' >lock.std
	run bash -c "$limits '$SNAG' analyze --with hb lock.std"
	[ "$status" = 0 ]
}

@test "names: invalid UTF-8, quotes and escapes" {
	printf 'T"0|w(x\xff\\)|\xc3\xa4\xc3\n\033[31m|r(x\xff\\)|\xed\xa0\x80\n' >odd.std
	snags analyze --json - odd.std
	[ "$status" = 66 ]
	[ "$(jq -ac '.analyses[0].races[0] | [.variable, .locations, .threads]' <<<"$output")" = \
		'["x\ufffd\\",["\u00e4\ufffd","\ufffd\ufffd\ufffd"],["T\"0","\u001b[31m"]]' ]
	snags analyze odd.std
	[[ $output == *"RACE observed x?\\: "* ]]
	[[ $output != *$'\033'* ]]
}

@test "--witness makes the folder and refuses what is none" {
	snags analyze --witness out race.std
	[ "$status" = 66 ]
	[ -d out ]
	snags analyze --witness out race.std
	[ "$status" = 66 ]
	snags analyze --witness race.std race.std
	refused 2 "snag: analyze: race.std: Not a directory"
	snags analyze --witness no/where race.std
	refused 2 "snag: analyze: no/where: No such file or directory"
}

@test "reentrant locks are one section" {
	printf '%s\n' 'T0|acq(l)|1' 'T0|acq(l)|2' 'T0|rel(l)|3' 'T0|w(x)|4' 'T0|rel(l)|5' \
		'T1|acq(l)|6' 'T1|w(x)|7' 'T1|rel(l)|8' >nested.std
	snags analyze --with all nested.std
	[ "$status" = 0 ]
}

@test "--lenient skips and counts" {
	printf '%s\n' 'T0|w(x)|1' 'T0|rel(l)|2' 'nonsense' 'T1|w(x)|3' >bad.std
	snags analyze --lenient --json - bad.std
	[ "$status" = 66 ]
	[ "$(jq -c '[.trace.events, .trace.skipped, .analyses[0].racy_events]' <<<"$output")" = '[2,2,[1]]' ]
	snags analyze --lenient bad.std
	[[ ${lines[1]} == "2 events, 2 threads, 1 variable, "*"; 2 skipped, which break the rules of traces" ]]
}

@test "--stages paper with wdp: what the greedy cannot construct is unverified" {
	printf '%s\n' 'T0|acq(l)|1' 'T0|w(x)|2' 'T0|w(x)|3' 'T0|rel(l)|4' 'T1|w(x)|5' 'T1|acq(l)|6' \
		'T1|rel(l)|7' 'T1|r(x)|8' 'T1|w(x)|9' >greedy.std
	verdict='.analyses[0] | [.complete, .uncertain, (.races[] | select(.first == 2 and .second == 8) | .verdict)]'
	snags analyze --with wdp --pairs --json - greedy.std
	[ "$(jq -c "$verdict" <<<"$output")" = '[true,null,"predicted"]' ]
	snags analyze --with wdp --pairs --stages paper --json - greedy.std
	[ "$(jq -c "$verdict" <<<"$output")" = '[false,0,"unverified"]' ]
	snags analyze --with wdp --pairs --stages paper greedy.std
	[[ $output == *"wdp could not decide whether some reordering puts them side by side."* ]]
}

@test "--stages paper decides pairs whose cones have more than 200,000 events" {
	{
		yes 'T0|acq(m)|1|T0|w(y)|2|T0|rel(m)|3' | head -n 70000 | sed 's/|T0/\nT0/g'
		printf '%s\n' 'T0|acq(l)|4' 'T0|w(x)|5' 'T0|rel(l)|6' 'T1|acq(l)|7' 'T1|rel(l)|8' 'T1|w(x)|9' \
			'T2|acq(m)|10' 'T2|r(y)|11' 'T2|rel(m)|12'
	} >long.std
	for detector in m2 wdp; do
		snags analyze --with $detector --stages paper --json - long.std
		[ "$(jq -c '.analyses[0] | [.complete, .uncertain, (.races[] | .first, .second, .verdict)]' <<<"$output")" = \
			'[true,0,210001,210005,"predicted"]' ]
	done
}

@test "--stages paper with dc: its vindication rejects figures 1(b) and 7 of the paper on M2" {
	for figure in m2_fig1b:13 m2_fig7a:15; do
		trace="$BATS_TEST_DIRNAME/../traces/${figure%:*}.std"
		second=".analyses[0].races | any(.second == ${figure#*:})"
		snags analyze --with dc --pairs --json - "$trace"
		jq -e "$second" <<<"$output"
		snags analyze --with dc --pairs --stages paper --json - "$trace"
		jq -e "$second | not" <<<"$output"
		jq -e '.analyses[0] | .uncertain > 0 and .complete == false' <<<"$output"
	done
}

@test "--stages paper misses a race, and says that it may have" {
	cp "$root/tests/traces/errata_m2_cone.std" cone.std
	snags analyze --with m2,hb --pairs --json - cone.std
	[ "$(jq -c '.analyses | map([.name, .complete, .pairs, .uncertain])' <<<"$output")" = \
		'[["m2",true,3,null],["hb",false,3,null]]' ]
	snags analyze --with m2,hb --pairs --stages paper --json - cone.std
	[ "$(jq -c '.analyses | map([.name, .complete, .pairs, .uncertain])' <<<"$output")" = \
		'[["m2",false,2,1],["hb",false,3,null]]' ]
	snags analyze --with m2 --stages paper cone.std
	[ "$status" = 66 ]
	[[ $output == *"m2: 2 races (2 pairs, 2 racy events) in "*" s, complete: no, 1 uncertain"* ]]
	snags analyze --with all --stages paper cone.std
	[[ $output == *"m2 "*"  no, 1 uncertain"* ]]
	snags analyze --stages printed cone.std
	refused 2 "snag: analyze: --stages 'printed': expected one of exact|paper"
}

@test "--pair: a witness, or why there is none" {
	snags analyze --pair 1,6 --witness w --json - figure.std
	[ "$status" = 66 ]
	[ "$(jq -c '.analyses[0].races[] | [.first, .second, .verdict, .witness]' <<<"$output")" = '[1,6,"predicted",[3,4,5,0,1,6]]' ]
	snags check figure.std w/race-1.json
	[ "$status" = 0 ]
	snags analyze --pair 4,1 figure.std # in any order
	[ "$status" = 0 ]
	[ "$output" = "REFUTED 4,1, by the rules 'reads': both accesses hold the lock l, taken by event 0, T0 acq(l), and by event 3, T1 acq(l)." ]
	printf '%s\n' 'T0|w(y)|1' 'T0|w(x)|2' 'T1|r(x)|3' 'T1|w(y)|4' >ordered.std
	snags analyze --pair 0,3 --json - ordered.std
	[ "$status" = 0 ]
	[ "$(jq -c '[.refuted.kind, .refuted.events, .analyses[0].races]' <<<"$output")" = '["ordered",[0,1,2,3],[]]' ]
	[[ $(jq -r '.refuted.steps[1]' <<<"$output") == *"as the read must see it" ]]
	# Figure 1(e): the branch needs what the read of z saw.
	snags analyze --pair 3,13 "$root/tests/traces/sdp_fig1e.std"
	[ "$status" = 0 ]
	[[ $output == "REFUTED 3,13, by the rules 'dependence': events would have to come before themselves"*"or the read would change" ]]
}

@test "--pair --dot draws why a pair is no race" {
	snags analyze --pair 4,1 --dot lock.dot figure.std
	[ "$status" = 0 ]
	grep -qF 'e0 -> e3 [color=red, fontcolor=red, arrowhead=none, constraint=false, label="both hold the lock"]' lock.dot
	snags analyze --pair 3,13 --dot - "$root/tests/traces/sdp_fig1e.std"
	[ "$status" = 0 ]
	[[ $output == "digraph snag {"*"3 and 13 do not race: cycle"*'label="or the read would change"];'*"}" ]]
	# A step of the cycle for each arrow that is no program order inside a box.
	steps=$("$SNAG" analyze --pair 3,13 --json - "$root/tests/traces/sdp_fig1e.std" | jq ".refuted.steps | length")
	[ "$(grep -c -e '-> e[0-9]* \[label=' <<<"$output")" = "$steps" ]
	# A race has a witness instead.
	snags analyze --pair 1,6 --dot none.dot figure.std
	[ "$status" = 66 ]
	[[ $stderr == *"the pair is not refuted: none.dot is not written"* ]] && [ ! -e none.dot ]
	snags analyze --dot x.dot figure.std
	refused 2 "snag: analyze: --dot: draws a pair: needs --pair"
	snags analyze --pair 4,1 --dot - --json - figure.std
	refused 2 "snag: analyze: --json and --dot cannot both be -"
}

@test "--order-races: a race orders its accesses, and the report says so" {
	printf '%s\n' 'T1|w(x)|1' 'T2|w(x)|2' 'T2|fork(T3)|3' 'T3|w(x)|4' >forked.std
	snags analyze --with hb,wcp,dc,sdp,wdp --undecided --json - forked.std
	[ "$(jq -c '[.analyses[] | .racy_events, .races_ordered]' <<<"$output")" = '[[1,3],null,[1,3],null,[1,3],null,[1,3],null,[1,3],null]' ]
	snags analyze --with hb,wcp,dc,sdp,wdp,shb --undecided --order-races --json - forked.std
	[ "$(jq -c '[.analyses[] | .racy_events]' <<<"$output")" = '[[1],[1],[1],[1],[1,3],[1,3]]' ]
	[ "$(jq -c '[.analyses[].races_ordered]' <<<"$output")" = '[true,true,true,true,true,null]' ]
	[ "$stderr" = "snag: analyze: --order-races: changes nothing for shb" ]
	snags analyze --with m2,shb --order-races forked.std
	refused 2 "snag: analyze: --order-races: not with m2, shb"
	snags analyze --order-races --json - forked.std # the detectors are not the user's choice
	[ "$(jq -c '.analyses[0] | [.name, .racy_events, .races_ordered]' <<<"$output")" = '["hb",[1],true]' ]
	[ -z "$stderr" ]
	snags analyze --with wdp --order-races forked.std
	[[ $output == *"wdp: "*", complete: no, each race ordered from then on"* ]]
	snags analyze --with wdp forked.std
	[[ $output == *"wdp: "*", complete: yes"* ]]
	snags analyze --pair 1,3 --order-races forked.std
	refused 2 "snag: analyze: --pair: not with --order-races"
}

@test "--pair: what is no pair is refused" {
	snags analyze --pair 4,6 figure.std
	refused 2 "snag: analyze: events 4 and 6 do not conflict: both are of T1"
	snags analyze --pair 0,6 figure.std
	refused 2 "snag: analyze: event 0 (acq) is no plain read or write"
	snags analyze --pair 1,7 figure.std
	refused 2 "snag: analyze: there is no event 7: the trace has 7, from 0 on"
	for pair in 1 1,x ,6 1,6,7 -1,6 99999999999999999999,1; do
		snags analyze --pair=$pair figure.std
		refused 2 "snag: analyze: --pair '$pair': expected two event numbers, as in 3,8"
	done
}

@test "m2 counts all pairs and racy events of a race, or says at least" {
	printf '%s\n' 'T0|w(x)|A' 'T0|w(x)|A' 'T0|w(x)|A' 'T1|w(x)|B' 'T1|w(x)|B' >six.std
	snags analyze --with m2 --json - six.std
	[ "$(jq -c '.analyses[0] | [.pairs, .racy_events, .counts, (.races[] | .count)]' <<<"$output")" = '[6,[3,4],null,6]' ]
	for t in A B; do for _ in $(seq 200); do echo "T$t|w(x)|$t"; done; done >many.std
	snags analyze --with m2 --json - many.std
	[ "$(jq -c '.analyses[0] | [.counts, (.races[] | .count > 30000 and .count < 40000)]' <<<"$output")" = '["at least",true]' ]
	snags analyze --with m2 many.std
	[[ $output == *"m2: 1 race (at least 3"*" pairs, "* ]]
}

@test "syncp leaves sections out, osr also runs one last, and both have witnesses" {
	printf '%s\n' 'T0|w(x)|1' 'T0|acq(l)|2' 'T0|rel(l)|3' 'T1|acq(l)|4' 'T1|rel(l)|5' 'T1|w(x)|6' >keeps.std
	printf '%s\n' 'T0|acq(l)|1' 'T0|w(x)|2' 'T0|rel(l)|3' 'T1|acq(l)|4' 'T1|rel(l)|5' 'T1|w(x)|6' >reverses.std
	snags analyze --with hb,syncp,osr --json - keeps.std
	[ "$(jq -c '[.analyses[] | [.name, .complete, .racy_events, (.races[] | .verdict, .witness)]]' <<<"$output")" = \
		'[["hb",false,[]],["syncp",true,[5],"predicted",[3,4,0,5]],["osr",true,[5],"predicted",[3,4,0,5]]]' ]
	snags analyze --with syncp,osr --witness w --json - reverses.std
	[ "$(jq -c '[.analyses[] | [.name, .complete, .racy_events, (.races[] | .verdict, .witness)]]' <<<"$output")" = \
		'[["syncp",false,[]],["osr",true,[5],"predicted",[3,4,0,1,5]]]' ]
	for witness in w/*; do
		run -0 "$SNAG" check reverses.std "$witness"
	done
	# The published stages are m2's.
	snags analyze --with syncp --stages paper --json - reverses.std
	[ "$(jq -c '.analyses[0] | [.name, .uncertain, (.races | length)]' <<<"$output")" = '["syncp",null,0]' ]
}

@test "shb: a read can race with the write it saw, what follows it does not" {
	snags analyze --with shb --json - race.std
	[ "$status" = 66 ]
	[ "$(jq -c '.analyses[0] | [.racy_events, (.races[] | .first, .second, .verdict)]' <<<"$output")" = '[[1],0,1,"observed"]' ]
	printf '%s\n' 'T1|w(x)|1' 'T1|w(z)|2' 'T2|r(z)|3' 'T2|w(x)|4' >second.std
	snags analyze --with hb,shb --json - second.std
	[ "$(jq -c '[.analyses[].racy_events]' <<<"$output")" = '[[2,3],[2]]' ]
}

@test "--rules: causality begins at branches, or literally at writes as well" {
	cp "$root/tests/traces/sdp_fig1b.std" fig1b.std
	snags analyze --with wdp --witness w --json - fig1b.std
	[ "$status" = 66 ]
	[ "$(jq -c '.analyses[0] | [.complete, (.races[] | .first, .second, .verdict)]' <<<"$output")" = '[true,2,12,"predicted"]' ]
	snags check fig1b.std w/race-1.json
	[ "$status" = 0 ]
	snags check --rules literal fig1b.std w/race-1.json
	refused 2 "snag: check: w/race-1.json: not valid: *"
	snags analyze --with wdp --rules literal --json - fig1b.std
	[ "$status" = 0 ]
	[ "$(jq -c '.analyses[0] | [.complete, .races]' <<<"$output")" = '[true,[]]' ]
}

@test "--rules: a trace without branches may be taken at its word" {
	cp "$root/tests/traces/sdp_fig4a.std" no-branch.std
	snags analyze --with wdp no-branch.std
	[ "$status" = 0 ]
	snags analyze --with wdp --rules dependence --witness w --json - no-branch.std
	[ "$status" = 66 ]
	[ "$(jq -c '.analyses[0] | [.complete, (.races[] | .first, .second, .verdict)]' <<<"$output")" = '[true,0,7,"predicted"]' ]
	snags check --rules dependence no-branch.std w/race-1.json
	[ "$status" = 0 ]
	snags check no-branch.std w/race-1.json
	refused 2 "snag: check: w/race-1.json: not valid: *"
}

@test "shb: a read is tested before it joins its writer" {
	printf '%s\n' 'T0|w(x)|1' 'T1|r(x)|2' >seen.std
	snags analyze --with shb --json - seen.std
	[ "$status" = 66 ]
	[ "$(jq -c '.analyses[0] | [.racy_events, .races[0].verdict]' <<<"$output")" = '[[1],"observed"]' ]
}

@test "dc --stages paper: figures 1(b) and 7(a) of M2 show what its vindication misses" {
	local of='[.analyses[] | [.races[] | [.first, .second]]]'
	snags analyze --with dc,m2 --pairs --stages paper --json - "$root/tests/traces/m2_fig1b.std"
	[ "$(jq -c "$of" <<<"$output")" = '[[],[[1,13]]]' ]
	snags analyze --with dc,m2 --pairs --stages paper --json - "$root/tests/traces/m2_fig7a.std"
	[ "$(jq -c "$of" <<<"$output")" = '[[[8,13]],[[0,8],[0,13],[8,13],[5,15]]]' ]
}
