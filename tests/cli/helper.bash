# What the command-line tests have in common; each .bats file loads it.
#
# SNAG names the tool to test (default build/snag).  Every test runs in an empty folder of its
# own.  `matches NAME` compares $output with NAME.exact beside the tests; with
# SNAG_UPDATE_EXPECTED=1 it writes that file instead: review reads the diff.
bats_require_minimum_version 1.5.0

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	SNAG=${SNAG:-$root/build/snag}
	bank=$root/docs/examples/bank.std
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	# Figure 1a of Pavlogiannis, POPL 2020: the race (1, 6) hides behind the lock.
	printf '%s\n' 'T0|acq(l)|11' 'T0|w(V1)|12' 'T0|rel(l)|13' \
		'T1|acq(l)|14' 'T1|w(V1)|14' 'T1|rel(l)|14' 'T1|w(V1)|15' >figure.std
	printf '%s\n' 'T0|w(x)|a.c:1' 'T1|r(x)|b.c:2' >race.std
	printf '%s\n' 'T0|acq(l)|1' 'T0|w(x)|2' 'T0|rel(l)|3' \
		'T1|acq(l)|4' 'T1|r(x)|5' 'T1|rel(l)|6' >clean.std
}

snag() {
	"$SNAG" "$@"
}

# Whether the tool runs under AddressSanitizer.  The programs it observes do not: they are the same
# whatever the tool.  So a sanitized tool observes each program once, and not in every combination of
# compiler and optimisation: it takes the combinations in turn.
is_sanitized() {
	grep -qs '^SNAG_SANITIZE:BOOL=ON' "$(dirname "${SNAG:-build/snag}")/CMakeCache.txt"
}

# The compilers to build the programs of a test with: of a sanitized tool one, in turn by test.
compilers() {
	is_sanitized || { echo gcc clang; return; }
	if ((BATS_TEST_NUMBER % 2)); then echo gcc; else echo clang; fi
}

# The files that part N of 4 builds and runs: all of them; of a sanitized tool every fourth.
part() { # N FILE...
	local n=$1 i=0 file
	shift
	for file; do
		if ! is_sanitized || ((i++ % 4 == n)); then echo "$file"; fi
	done
}

# Fails if the command does not; a bare ! in front of one would fail nothing.
refute() {
	! "$@"
}

# Runs snag; stdout in $output, stderr in $stderr, status in $status.
snags() {
	run --separate-stderr "$SNAG" "$@"
}

# The last run failed with a status, nothing on stdout, and one line on stderr like the pattern.
refused() { # STATUS PATTERN
	[ "$status" = "$1" ] || { echo "status $status, expected $1; stderr: $stderr"; return 1; }
	[ -z "$output" ] || { echo "stdout: $output"; return 1; }
	[ "${#stderr_lines[@]}" = 1 ] || { echo "not one line: $stderr"; return 1; }
	# shellcheck disable=SC2053 # a pattern
	[[ $stderr == $2 ]] || { printf 'stderr:   %s\nexpected: %s\n' "$stderr" "$2"; return 1; }
}

# Times differ from run to run.
without_times() {
	sed -E 's/ in [0-9]+\.[0-9]+ s/ in 0.00 s/; s/"seconds":[0-9.]+/"seconds":0/'
}

matches() { # NAME
	local file=$BATS_TEST_DIRNAME/$1.exact
	if [ -n "${SNAG_UPDATE_EXPECTED:-}" ]; then
		without_times <<<"$output" >"$file"
		return
	fi
	diff -u "$file" <(without_times <<<"$output")
}
