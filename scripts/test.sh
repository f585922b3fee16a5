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

# Each bats file is one job; as many run at a time as there are processors, those that compile most
# first.
cli() { # BUILD
	echo "== bats tests/cli with $1/snag"
	rm -f "$logs"/*.tap
	# shellcheck disable=SC2016 # expanded by the inner shell
	{ ls tests/cli/{programs,run_openmp,suites,pass,live,run_tasks}.bats; ls tests/cli/*.bats; } |
		awk '!seen[$0]++' | SNAG=$PWD/$1/snag LOGS=$logs xargs -P "$(nproc)" -I{} bash -c \
		'bats --tap "$1" >"$LOGS/$(basename "$1").tap" 2>&1
		echo "   $(basename "$1"): $SECONDS s"' bash {}
	local file plan good bad skip all_good=0 all_bad=0
	for file in "$logs"/*.tap; do
		plan=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$file")
		good=$(grep -c '^ok ' "$file")
		skip=$(grep -cE '^ok .* # skip' "$file")
		bad=$((${plan:-1} - good)) # a test that did not report has failed
		[ "$bad" = 0 ] || grep -v '^ok ' "$file"
		count $((good - skip)) "$bad" "$skip"
		all_good=$((all_good + good - skip)) all_bad=$((all_bad + bad))
	done
	echo "   $all_good of $((all_good + all_bad)) passed"
}

if [ "$only" = cli ]; then
	cli build
else
	checks
	unit build
	unit build-asan
	cli build
	cli build-asan
fi
[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
