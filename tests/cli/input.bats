#!/usr/bin/env bats
# Bad input: every command that reads a trace says what is wrong where, in one line, and leaves
# nothing behind.
load helper

# All commands refuse the file with the same words.
all_refuse() { # FILE PATTERN
	local before c
	echo 0 1 >witness
	before=$(ls)
	for c in analyze info "analyze --json out.json" "convert --to snag" "convert --to csv" check; do
		local operands=("$1")
		case $c in convert*) operands+=(out) ;; check) operands+=(witness) ;; esac
		# shellcheck disable=SC2086 # words
		snags $c "${operands[@]}"
		refused 2 "snag: ${c%% *}: $2" || { echo "with $c"; return 1; }
	done
	[ "$(ls)" = "$before" ] || { echo "left behind: $(ls)"; return 1; }
}

# A trace whose second line is the given one.
second_line() {
	printf 'T0|w(x)|1\n%s\nT0|w(x)|3\n' "$1" >bad.std
}

@test "missing files and folders" {
	all_refuse missing.std "missing.std: No such file or directory"
	mkdir folder.std
	all_refuse folder.std "folder.std: is a directory"
}

@test "empty files" {
	: >empty.std
	all_refuse empty.std "empty.std: the trace is empty"
	: >empty.snag
	all_refuse empty.snag "empty.snag: *"
	: >empty.csv
	all_refuse empty.csv "empty.csv*"
	printf '' | gzip >empty.std.gz
	all_refuse empty.std.gz "empty.std.gz: the trace is empty"
}

@test "wrong fields" {
	for line in 'T0|w(x)' 'T0|w(x)|1|2' 'T0' '|w(x)|1' 'T0|w(x)|' 'T0||1' 'T0|w|1' 'T0|w(|1' \
		'T0|w()|1' 'T0|w(x|1' 'T0|wx)|1' '' ' ' 'T0|w(x) |1' 'T0 |w(x)|1'; do
		second_line "$line"
		snags analyze bad.std
		refused 2 "snag: analyze: bad.std:2: *" || { echo "line '$line'"; return 1; }
	done
	all_refuse bad.std "bad.std:2: *"
}

@test "unknown operations" {
	for op in zap W ACQ ww acquire; do
		second_line "T0|$op(x)|1"
		all_refuse bad.std "bad.std:2: unknown operation '$op'*"
	done
}

@test "NUL bytes" {
	printf 'T0|w(x)|1\nT0|w(\0)|2\n' >bad.std
	all_refuse bad.std "bad.std:2: *NUL*"
	head -c 100000 /dev/zero >bad.std
	all_refuse bad.std "bad.std:1: *"
}

@test "a line of megabytes" {
	{
		echo 'T0|w(x)|1'
		head -c 5000000 /dev/zero | tr '\0' x
	} >bad.std
	all_refuse bad.std "bad.std:2: *"
	{
		printf 'T0|w('
		head -c 3000000 /dev/zero | tr '\0' x
		echo ')|1'
	} >bad.std
	all_refuse bad.std "bad.std:1: *"
	[ "${#stderr}" -lt 600 ]
}

@test "binary rubbish" {
	head -c 100000 "$SNAG" >bad.std
	all_refuse bad.std "bad.std:1: *"
	cp bad.std bad.snag
	all_refuse bad.snag "bad.snag: *"
	cp bad.std bad.csv
	all_refuse bad.csv "bad.csv*"
}

@test "locks: stray release, acquire of a held lock, wrong thread" {
	second_line 'T0|rel(l)|2'
	all_refuse bad.std "bad.std:2: release of lock 'l' by T0, which does not hold it"
	printf '%s\n' 'T0|acq(l)|1' 'T1|acq(l)|2' >bad.std
	all_refuse bad.std "bad.std:2: acquire of lock 'l' by T1 while T0 holds it (since line 1)"
	printf '%s\n' 'T0|acq(l)|1' 'T1|rel(l)|2' >bad.std
	all_refuse bad.std "bad.std:2: release of lock 'l' by T1, which does not hold it"
}

@test "threads: an event before the fork, after the join, forks of oneself" {
	printf '%s\n' 'T1|w(x)|1' 'T0|fork(T1)|2' >bad.std
	all_refuse bad.std "bad.std:2: fork of thread T1, which already ran (line 1)"
	printf '%s\n' 'T0|fork(T1)|1' 'T1|w(x)|2' 'T0|join(T1)|3' 'T1|w(x)|4' >bad.std
	all_refuse bad.std "bad.std:4: event of thread T1 after its join (line 3)"
	second_line 'T0|fork(T0)|2'
	all_refuse bad.std "bad.std:2: fork of thread T0 by itself"
	printf '%s\n' 'T0|fork(T1)|1' 'T0|fork(T1)|2' >bad.std
	all_refuse bad.std "bad.std:2: fork of thread T1, which was forked before (line 1)"
}

@test "what the rules refuse, --lenient skips and counts" {
	printf '%s\n' 'T0|rel(l)|1' 'T0|acq(l)|2' 'T1|acq(l)|3' 'T1|w(x)|4' 'T0|fork(T1)|5' \
		'T0|rel(l)|6' 'T0|join(T1)|7' 'T1|w(x)|8' 'rubbish' 'T0|zap(x)|9' >bad.std
	snags info --lenient --json bad.std
	[ "$status" = 0 ]
	[ "$(jq -c '[.trace.events, .trace.skipped]' <<<"$output")" = '[4,6]' ]
	snags convert --lenient bad.std good.std
	[ "$status" = 0 ]
	[ "$stderr" = "snag: convert: bad.std: skipped 6 that break the rules of traces" ]
	[ "$(cat good.std)" = $'T0|acq(l)|2\nT1|w(x)|4\nT0|rel(l)|6\nT0|join(T1)|7' ]
	snags analyze --with hb good.std
	[ "$status" = 0 ]
}

@test "a .snag file cut anywhere is an error" {
	snag convert "$bank" whole.snag
	size=$(stat -c %s whole.snag)
	for n in 1 4 7 8 12 20 50 100 200 $((size / 2)) $((size - 9)) $((size - 1)); do
		head -c "$n" whole.snag >cut.snag
		snags analyze cut.snag
		refused 2 "snag: analyze: cut.snag: *" || { echo "cut at $n"; return 1; }
	done
	all_refuse cut.snag "cut.snag: *"
}

@test "a .snag file with a flipped bit is an error" {
	snag convert "$bank" whole.snag
	python3 - <<'PY'
data = open("whole.snag", "rb").read()
for at in range(0, len(data), 5):
    flipped = bytearray(data)
    flipped[at] ^= 1 << at % 8
    open("flipped-%d.snag" % at, "wb").write(flipped)
PY
	[ "$(ls flipped-* | wc -l)" -gt 50 ]
	for f in flipped-*; do
		snags analyze "$f"
		refused 2 "snag: analyze: $f: *" || { echo "$f"; return 1; }
	done
}

@test "a .snag file of another version says so" {
	snag convert "$bank" whole.snag
	# The version follows the eight bytes of the magic.
	{ head -c 8 whole.snag; printf '\177'; tail -c +10 whole.snag; } >new.snag
	snags analyze new.snag
	refused 2 "snag: analyze: new.snag: *version 127*"
}

@test "damaged compression" {
	gzip -c "$bank" | head -c 100 >cut.std.gz
	all_refuse cut.std.gz "cut.std.gz: offset * gzip data is cut short"
	zstd -qc "$bank" | head -c 60 >cut.std.zst
	all_refuse cut.std.zst "cut.std.zst: offset * zstd data is cut short"
	{ gzip -c "$bank" | head -c 100; head -c 100 /dev/zero; } >bad.std.gz
	all_refuse bad.std.gz "bad.std.gz: offset * gzip data is damaged"
}
