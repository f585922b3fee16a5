#!/usr/bin/env bats
# snag convert: formats, compression, all or nothing.
load helper

@test "std, snag, csv and back" {
	snag convert "$bank" a.snag
	snag convert a.snag b.std
	cmp "$bank" b.std
	snag convert a.snag c.csv
	snag convert c.csv d.std
	# CSV has no names of threads, but the same events.
	[ "$(cut -d'|' -f2 d.std | grep -v -e fork -e join)" = \
		"$(cut -d'|' -f2 "$bank" | grep -v -e fork -e join)" ]
	[ "$(snag analyze --with hb --json - c.csv | jq -c '.analyses[0].racy_events')" = '[10,15,20]' ]
}

@test "compression by name, recognised by content" {
	for suffix in std.gz std.zst snag.gz snag.zst csv.gz; do
		snag convert "$bank" "a.$suffix"
		[ "$(snag info --json "a.$suffix" | jq .trace.events)" = 26 ]
	done
	zcat a.std.gz | cmp - "$bank"
	zstdcat a.std.zst | cmp - "$bank"
	cp a.std.gz plain.std
	snags analyze plain.std
	[ "$status" = 66 ]
}

@test "standard input and output, --from and --to" {
	snag convert - - <"$bank" | cmp - "$bank"
	snag convert "$bank" - | cmp - "$bank"
	snag convert --to snag "$bank" - | snag convert - out.std
	cmp out.std "$bank"
	snag convert --to csv "$bank" - | snag convert --from csv - x.snag
	[ "$(snag info --json x.snag | jq .trace.events)" = 26 ]
	snag convert --to std "$bank" odd.csv
	cmp odd.csv "$bank"
	snag convert --from std odd.csv again.std
	cmp again.std "$bank"
	snag convert --to snag "$bank" odd.name
	snag convert --from snag odd.name again.std
	cmp again.std "$bank"
}

@test "an unknown extension" {
	snags convert "$bank" out.txt
	refused 2 "snag: convert: out.txt: *.std, .csv or .snag*"
	[ ! -e out.txt ]
}

@test "the same file in and out is refused and stays" {
	cp "$bank" a.std
	snags convert a.std a.std
	refused 2 "snag: convert: a.std: is both input and output"
	ln -s a.std link.std
	snags convert a.std link.std
	refused 2 "snag: convert: link.std: is both input and output"
	cmp a.std "$bank"
}

@test "an existing target is replaced, or left as it was" {
	echo old >out.std
	printf 'T0|w(x)|1\nrubbish\n' >bad.std
	snags convert bad.std out.std
	refused 2 "snag: convert: bad.std:2: *"
	[ "$(cat out.std)" = old ]
	snag convert "$bank" out.std
	cmp out.std "$bank"
	[ "$(ls)" = $'bad.std\nclean.std\nfigure.std\nout.std\nrace.std' ]
}

@test "through a symbolic link" {
	echo old >real.std
	ln -s real.std link.std
	snag convert "$bank" link.std
	[ -L link.std ]
	cmp real.std "$bank"
}

@test "an interrupted conversion leaves nothing" {
	mkfifo pipe
	env --default-signal=INT "$SNAG" convert --progress pipe out.std 2>progress &
	pid=$!
	exec 9>pipe
	for _ in $(seq 100); do # progress shows only after half a second, when something comes
		[ -s progress ] && break
		echo 'T9|w(x)|9' >&9
		sleep 0.1
	done
	[ -s progress ]
	kill -INT $pid
	status=0
	wait $pid || status=$?
	exec 9>&-
	[ "$status" = 130 ]
	[ "$(ls)" = $'clean.std\nfigure.std\npipe\nprogress\nrace.std' ]
}

@test "dependences, shared locks and atomics go through every format" {
	printf '%s\n' 'T0|racq(l)|1' 'T0|r(x,1)|2' 'T0|rrel(l)|3' 'T0|dep(x,1)|4' 'T0|br|5' 'T1|aw.release(f)|6' \
		'T0|ar4.acquire(f)|7' 'T1|au(n)|8' 'T1|ar.relaxed.wait(b)|9' 'T1|fence.acq_rel|10' >all.std
	snag convert all.std all.snag
	snag convert all.snag again.std
	cmp all.std again.std
	snag convert all.std all.csv
	grep -qxF '"r(x,1)",' all.csv
	snag convert all.csv again.csv
	cmp all.csv again.csv
}
