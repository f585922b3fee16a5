#!/usr/bin/env bats
# snag info and snag list.
load helper

@test "info of the example, in every format" {
	cp "$bank" .
	snags info bank.std
	[ "$status" = 0 ]
	matches info-bank
	counts=$(snag info --json bank.std | jq -c '[.trace, .kinds, .threads]')
	snag convert bank.std bank.snag
	[ "$(snag info --json bank.snag | jq -c '[.trace, .kinds, .threads]')" = "$counts" ]
	snag convert bank.std bank.std.gz
	[ "$(snag info --json bank.std.gz | jq -c '[.trace, .kinds, .threads]')" = "$counts" ]
	[ "$(snag info --json - <bank.std | jq -c '[.trace, .kinds, .threads]')" = "$counts" ]
}

@test "info as JSON" {
	cp "$bank" .
	snags info --json bank.std
	[ "$status" = 0 ]
	matches info-bank-json
	[ "$(jq .bytes <<<"$output")" = "$(stat -c %s bank.std)" ]
	[ "$(jq '[.threads[].events] | add' <<<"$output")" = 26 ]
	[ "$(jq '[.kinds[]] | add' <<<"$output")" = 26 ]
}

@test "info of standard input has no size" {
	[ "$(snag info --json - <"$bank" | jq 'has("bytes")')" = false ]
}

@test "info shows the ten busiest threads, all in JSON" {
	for i in $(seq 15); do for _ in $(seq "$i"); do echo "T$i|w(x)|1"; done; done >many.std
	snags info many.std
	[[ $output == *"by thread, the busiest"* ]]
	sed -n '/by thread/,$p' <<<"$output" | tail -n +2 >threads
	[ "$(head -1 threads | awk '{print $1, $2}')" = "15 T15" ]
	[ "$(wc -l <threads)" = 10 ]
	[ "$(snag info --json many.std | jq '.threads | length')" = 15 ]
}

@test "info counts nested acquires" {
	printf '%s\n' 'T0|acq(l)|1' 'T0|acq(l)|2' 'T0|rel(l)|3' 'T0|rel(l)|4' >nested.std
	[ "$(snag info --json nested.std | jq .nested)" = 1 ]
}

@test "list: one line per detector" {
	snags list
	[ "$status" = 0 ]
	[ "$(awk '{print $1}' <<<"$output")" = \
		"$(sed -nE 's/^DETECTOR\((.*)\)/\1/p' "$root/src/detect/list.def")" ]
	snags list --json
	jq -e '.detectors | all(.name and .summary and .kind and .guarantee and .cost and .reference)' \
		<<<"$output"
}
