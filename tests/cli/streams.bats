#!/usr/bin/env bats
# Pipes, full disks, signals, terminals.
load helper

@test "standard input, /dev/stdin, process substitution" {
	snags analyze - <race.std
	[ "$status" = 66 ]
	[ "${lines[0]}" = "1 race found in <stdin>: 1 observed" ]
	for c in "'$SNAG' analyze /dev/stdin <race.std" "cat race.std | '$SNAG' analyze -" \
		"cat race.std | '$SNAG' analyze /dev/stdin" "'$SNAG' analyze <(cat race.std)" \
		"gzip -c race.std | '$SNAG' analyze -" "zstd -qc race.std | '$SNAG' analyze -"; do
		run bash -c "$c"
		[ "$status" = 66 ]
	done
}

@test "a pipe and a file give the same report" {
	snag convert "$bank" bank.snag
	report() { # ARGUMENT... <the pipe
		snag analyze --with hb,shb,lockset "$@" | without_times | grep -v ' found in '
	}
	for form in --json=- --limit=0; do
		report $form "$bank" >expected
		[ "$(wc -l <expected)" -gt 10 ]
		cat "$bank" | report $form - | diff expected -
		report $form bank.snag | diff expected -
		cat bank.snag | report $form - | diff expected -
	done
}

@test "a full disk is an error, for every output" {
	for c in "analyze race.std" "analyze --json - race.std" "info race.std" "info --json race.std" \
		"convert race.std -" "convert --to snag race.std -" "convert --to csv race.std -" \
		list "list --json" help "help info" version "completion bash"; do
		run --separate-stderr bash -c "'$SNAG' $c >/dev/full"
		refused 2 "snag: *: <stdout>: No space left on device"
	done
	snags analyze --json /dev/full race.std
	refused 2 "snag: analyze: /dev/full: No space left on device"
	snags convert --to std race.std /dev/full
	refused 2 "snag: convert: /dev/full: No space left on device"
}

@test "a file-size limit leaves no partial file" {
	for i in $(seq 30000); do echo "T0|w(x$RANDOM)|$RANDOM"; done >big.std
	for target in out.std out.std.gz out.csv out.snag; do
		run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 8; '$SNAG' convert big.std $target"
		refused 2 "snag: convert: $target: File too large"
	done
	[ "$(ls)" = $'big.std\nclean.std\nfigure.std\nrace.std' ]
}

@test "--json in a missing folder" {
	snags analyze --json no/where.json race.std
	refused 2 "snag: analyze: no/where.json: No such file or directory"
	snags analyze --json . race.std
	refused 2 "snag: analyze: .: Is a directory"
}

@test "/dev/stdout is not replaced" {
	echo first >out
	snag analyze --json /dev/stdout race.std >>out || [ $? = 66 ]
	[ -L /dev/stdout ]
	[ "$(head -1 out)" = first ]
	[ "$(grep -c '^{"trace"' out)" = 1 ]
}

@test "--json to a named pipe" {
	mkfifo pipe
	cat pipe >got &
	snag analyze --json pipe race.std >/dev/null || [ $? = 66 ]
	wait
	jq -e '.analyses[0].racy_events == [1]' got
}

@test "a closed standard output is an error" {
	run --separate-stderr bash -c "'$SNAG' analyze race.std >&-"
	refused 2 "snag: analyze: *: Bad file descriptor"
}

@test "a reader that stops early ends snag quietly" {
	for i in $(seq 10000); do printf 'T0|w(x%d)|a%d\nT1|w(x%d)|b%d\n' "$i" "$i" "$i" "$i"; done >many.std
	run --separate-stderr bash -c "'$SNAG' analyze --with hb --limit 0 many.std | head -1; echo \${PIPESTATUS[0]}"
	[ "${lines[0]}" = "10000 races found in many.std: 10000 observed" ]
	[ "${lines[1]}" = 141 ]
	[ -z "$stderr" ]
}

# Starts an analysis of a pipe that does not end, and waits until it has read the trace.
analysis_waits() { # TRACE ARGUMENT...
	local trace=$1
	shift
	mkfifo pipe
	env --default-signal=INT "$SNAG" analyze --progress "$@" pipe >out 2>progress &
	pid=$!
	exec 9>pipe
	cat "$trace" >&9
	for _ in $(seq 100); do # progress shows only after half a second, when something comes
		[ -s progress ] && return
		echo 'T9|w(unused)|9' >&9
		sleep 0.1
	done
	return 1
}

# Sends the signal; the status is in $status.
analysis_gets() { # SIGNAL
	kill "-$1" $pid
	status=0
	wait $pid || status=$?
	exec 9>&-
}

@test "Ctrl-C reports what was found so far" {
	analysis_waits race.std
	analysis_gets INT
	[ "$status" = 66 ]
	[[ $(head -1 out) =~ ^"1 race found in pipe: 1 observed (interrupted after "[0-9]+" events)"$ ]]
	grep -q '^RACE observed x: a.c:1 / b.c:2$' out
}

@test "Ctrl-C without a race: 130; the JSON says interrupted" {
	analysis_waits clean.std --json out.json
	analysis_gets INT
	[ "$status" = 130 ]
	[ "$(jq .interrupted out.json)" = true ]
	[ "$(jq '.trace.events > 6' out.json)" = true ]
}

@test "SIGTERM as Ctrl-C: 143" {
	analysis_waits clean.std
	analysis_gets TERM
	[ "$status" = 143 ]
	[[ $(tail -1 out) == "SUMMARY: snag: no race found in pipe by hb"*" (interrupted after "* ]]
}

# Runs a command line on a terminal of its own; what it prints is in $output.
on_terminal() {
	run env TERM=xterm script -qec "$1" /dev/null
}

@test "colour on a terminal only, and not with NO_COLOR" {
	snags analyze race.std
	[[ $output != *$'\033'* ]]
	on_terminal "'$SNAG' analyze race.std"
	[ "$status" = 66 ]
	[[ $output == *$'\033[1;31mRACE observed x: a.c:1 / b.c:2\033[0m'* ]]
	on_terminal "NO_COLOR=1 '$SNAG' analyze race.std"
	[[ $output != *$'\033'* ]]
	on_terminal "TERM=dumb '$SNAG' analyze race.std"
	[[ $output != *$'\033'* ]]
}

@test "progress on a terminal only, unless asked, and erased at the end" {
	slow="(cat race.std; sleep 0.6; echo 'T0|w(y)|3'; sleep 0.3; echo 'T0|w(y)|4') | '$SNAG' analyze"
	on_terminal "$slow -"
	[[ $output == *" events, "*"/s"*$'\r\033[K'* ]]
	on_terminal "$slow --no-progress -"
	[[ $output != *" events, "*"/s"* ]]
	run --separate-stderr bash -c "$slow -"
	[ -z "$stderr" ]
	run --separate-stderr bash -c "$slow --progress -"
	[[ $stderr == *" events, "*"/s"*$'\r\033[K' ]]
}

@test "with --json - the verdict goes to a terminal's standard error" {
	on_terminal "'$SNAG' analyze --json - race.std >out.json"
	[[ $output == "1 race found in race.std: 1 observed"* ]]
	jq -e . out.json >/dev/null
}

@test "snag list has headings on a terminal" {
	on_terminal "'$SNAG' list"
	[[ ${lines[0]} == NAME* ]]
}
