# Every call that can fail fails once: memory, reading, writing.  snag must end with one clear line
# and status 125 (2 for files), or with the same answer as without the fault, or with the races that
# it has found so far and a note that they are incomplete.  No file may stay behind.
load helper

setup_file() {
	cc -O1 -shared -fPIC "$BATS_TEST_DIRNAME/../faults/inject.c" -o "$BATS_FILE_TMPDIR/inject.so" -ldl
}

# A sanitized tool has its own malloc, which the injector would replace.
needs_plain_tool() {
	if ldd "$SNAG" | grep -q asan; then skip "AddressSanitizer owns malloc"; fi
}

injected() { # FAULT COMMAND...: runs snag with a fault; output in out.txt and err.txt
	local fault=$1
	shift
	FAULT=$fault FAULT_COUNT=$BATS_TEST_TMPDIR/count LD_PRELOAD=$BATS_FILE_TMPDIR/inject.so \
		TMPDIR=$BATS_TEST_TMPDIR/tmp timeout 60 "$SNAG" "$@" \
		>"$BATS_TEST_TMPDIR/out.txt" 2>"$BATS_TEST_TMPDIR/err.txt"
}

last_line_is_ours() { # STATUS
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err.txt")" -ge 1 ] &&
		[[ $(tail -n 1 "$BATS_TEST_TMPDIR/err.txt") == snag:* ]]
}

# What the analyses took depends on the machine.
without_times() {
	sed -E 's/ in [0-9.]+ s\b//' "$BATS_TEST_TMPDIR/$1"
}

# Is the end of this run one of those that the comment at the top allows?
allowed() { # STATUS STATUS_WITHOUT FAULT_STATUS
	if [ "$1" = "$2" ] && cmp -s <(without_times out.txt) <(without_times plain.txt); then
		return 0
	fi
	case $1 in
	66 | 125) grep -q '^snag: incomplete' "$BATS_TEST_TMPDIR/err.txt" && return 0 ;;
	esac
	# libdw prints a line of its own before it aborts.
	[ "$1" = "$3" ] && last_line_is_ours && [ "$(wc -l <"$BATS_TEST_TMPDIR/err.txt")" -le 2 ]
}

# Lets call 1, 1 + STEP, 1 + 2 * STEP, ... of a kind fail, each in a run of its own.
each_fails() { # KIND HOW STATUS STEP COMMAND...
	local kind=$1 how=$2 expected=$3 step=$4 plain status n i stray bad=0
	shift 4
	mkdir -p "$BATS_TEST_TMPDIR/tmp"
	plain=0
	injected "$kind:0:$how" "$@" || plain=$?
	cp "$BATS_TEST_TMPDIR/out.txt" "$BATS_TEST_TMPDIR/plain.txt"
	n=$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/count")
	[ "$n" -ge 1 ] || { echo "no call of kind $kind"; return 1; }
	ls -A . "$BATS_TEST_TMPDIR/tmp" >"$BATS_TEST_TMPDIR/before"
	for ((i = 1; i <= n; i += step)); do
		status=0
		injected "$kind:$i:$how" "$@" || status=$?
		stray=$(ls -A . "$BATS_TEST_TMPDIR/tmp" | diff "$BATS_TEST_TMPDIR/before" - | grep '^>' || :)
		if [ -n "$stray" ] || ! allowed "$status" "$plain" "$expected"; then
			echo "$kind call $i of $n: $how: snag $*: status $status, left: $stray"
			head -n 5 "$BATS_TEST_TMPDIR/err.txt"
			bad=1
		fi
	done
	return $bad
}

@test "analyze survives the failure of every allocation" {
	needs_plain_tool
	each_fails alloc ENOMEM 125 1 analyze --json out.json --witness witnesses figure.std
	each_fails alloc ENOMEM 125 3 analyze --with wdp,dc,shb,lockset figure.std
}

@test "analyze of compressed and binary traces survives the failure of every allocation" {
	needs_plain_tool
	snag convert figure.std f.snag
	gzip -k figure.std
	zstd -q figure.std
	each_fails alloc ENOMEM 125 3 analyze f.snag
	each_fails alloc ENOMEM 125 3 analyze figure.std.gz
	each_fails alloc ENOMEM 125 3 analyze figure.std.zst
}

@test "task survives the failure of every allocation" {
	needs_plain_tool
	cp "$root/docs/examples/promise.task" .
	each_fails alloc ENOMEM 125 1 task --explore --json out.json promise.task
}

@test "check and convert survive the failure of every allocation" {
	needs_plain_tool
	snag analyze --witness . figure.std >all.txt || :
	each_fails alloc ENOMEM 125 1 check figure.std race-1.json
	for out in out.snag out.csv.zst out.std.gz; do
		: >$out
		each_fails alloc ENOMEM 125 1 convert figure.std $out
	done
}

@test "run survives the failure of allocations" {
	needs_plain_tool
	snag cc -g -O1 -pthread "$root/docs/examples/report.c" -o report
	each_fails alloc ENOMEM 125 11 run --no-replay --json out.json ./report
}

@test "reads and writes that fail, are interrupted or short" {
	needs_plain_tool
	snag convert figure.std f.snag
	: >out.snag
	for how in EINTR short EIO; do
		each_fails read $how 2 1 analyze figure.std
		each_fails read $how 2 1 convert f.snag out.snag
		each_fails write $how 2 1 analyze --json out.json --witness witnesses figure.std
	done
	each_fails write ENOSPC 2 1 convert f.snag out.snag
	each_fails sync EIO 2 1 convert f.snag out.snag
	each_fails rename EIO 2 1 convert f.snag out.snag
	each_fails open EMFILE 2 1 convert f.snag out.snag
}

@test "check, task and run: reads and writes that fail, are interrupted or short" {
	needs_plain_tool
	cp "$root/docs/examples/promise.task" .
	snag analyze --witness . figure.std >all.txt || :
	snag cc -g -O1 -pthread "$root/docs/examples/report.c" -o report
	for how in EINTR short EIO ENOSPC; do
		each_fails write $how 2 1 task --json out.json promise.task
		each_fails write $how 2 1 check figure.std race-1.json
		each_fails write $how 2 1 run --no-replay --json out.json ./report
	done
	for how in EINTR short EIO; do
		each_fails read $how 2 1 task promise.task
		each_fails read $how 2 1 check figure.std race-1.json
		each_fails read $how 2 1 run --no-replay --json out.json ./report
	done
}

@test "interrupted and short reads and writes change no answer" {
	needs_plain_tool
	for how in EINTR short; do
		for kind in read write; do
			injected "$kind:1:$how" convert figure.std out.snag
			snag convert out.snag back.std
			diff figure.std back.std
		done
	done
}

@test "a file size limit is an error, not a signal" {
	printf 'T%d|w(x)|%d\n' $(seq 1 40000) >long.std
	run --separate-stderr bash -c 'ulimit -f 1; exec "$0" convert long.std long.csv' "$SNAG"
	refused 2 'snag: convert: long.csv: File too large'
	[ ! -e long.csv ]
	[ -z "$(find . -name '.snag*')" ]
	run bash -c 'ulimit -f 0; exec "$0" analyze --json out.json figure.std' "$SNAG"
	[ "$status" = 2 ]
	[ ! -e out.json ]
}
