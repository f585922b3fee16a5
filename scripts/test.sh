#!/usr/bin/env bash
# Runs the tests of an existing build:  test.sh [cli]
# Everything: the checks of the sources, the unit tests of build/ and of build-asan/ (the same
# under AddressSanitizer and UndefinedBehaviorSanitizer), and the command-line tests on both.
# With "cli" only the command-line tests of build/.  Ends with "N passed, M failed".
# SNAG_UPDATE_EXPECTED=1 rewrites the expected outputs of the command-line tests.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
only=${1:-all}
case $only in all | cli) ;; *) echo "usage: test.sh [cli]" >&2; exit 2 ;; esac
passed=0 failed=0 skipped=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

count() { # PASSED FAILED [SKIPPED]
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

checks() { # of the sources: each scripts/check-<name>.sh is one
	local check
	for check in scripts/check-*.sh; do
		echo "== $check"
		if "$check"; then count 1 0; else count 0 1; fi
	done
}

unit() { # BUILD
	echo "== ctest in $1/"
	ctest --test-dir "$1" -j "$(nproc)" --output-on-failure >"$logs/ctest" 2>&1
	local status=$? total bad
	# "97% tests passed, 1 tests failed out of 33"
	read -r bad total < <(sed -nE 's/.*, ([0-9]+) tests? failed out of ([0-9]+)/\1 \2/p' "$logs/ctest")
	if [ -z "${total:-}" ]; then
		cat "$logs/ctest"
		count 0 1
		return
	fi
	[ $status = 0 ] || cat "$logs/ctest"
	echo "   $((total - bad)) of $total passed"
	count $((total - bad)) "$bad"
}

# The command-line tests of the given builds.  Each bats file on each build is one job.  All jobs are
# in one queue, and as many run at a time as there are processors: for each build, those that take
# longest come first.  So the tests of one file on two builds do not run at the same time.
slow="isolated run_openmp programs live pass run_tasks cxx_tasks run_openmp_unseen guest faults
memory formats run record explore_threads dependence page"
cli() { # BUILD...
	local build file name jobs=""
	for build in "$@"; do
		for name in $slow $(basename -s .bats -a tests/cli/*.bats); do
			case $jobs in *" $build:$name "*) ;; *) jobs="$jobs $build:$name " ;; esac
		done
	done
	echo "== bats tests/cli with $*"
	# shellcheck disable=SC2016,SC2086 # expanded by the inner shell; one line for each job
	printf '%s\n' $jobs | LOGS=$logs xargs -P "$(nproc)" -I{} bash -c '
		build=${1%:*} name=${1#*:}
		SNAG=$PWD/$build/snag bats --tap "tests/cli/$name.bats" >"$LOGS/$1.tap" 2>&1
		echo "   $build $name.bats: $SECONDS s"' bash {}
	for build in "$@"; do
		local plan good bad skip all_good=0 all_bad=0
		for file in "$logs/$build":*.tap; do
			plan=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$file")
			good=$(grep -c '^ok ' "$file")
			skip=$(grep -cE '^ok .* # skip' "$file")
			bad=$((${plan:-1} - good)) # a test that did not report has failed
			[ "$bad" = 0 ] || { basename "$file"; grep -v '^ok ' "$file"; }
			count $((good - skip)) "$bad" "$skip"
			all_good=$((all_good + good - skip)) all_bad=$((all_bad + bad))
		done
		echo "   $build: $all_good of $((all_good + all_bad)) passed"
	done
}

if [ "$only" = cli ]; then
	cli build
else
	checks
	unit build
	unit build-asan
	cli build-asan build
fi
[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
