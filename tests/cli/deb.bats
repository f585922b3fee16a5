#!/usr/bin/env bats
# The Debian package of `make deb`: what is in it, what lintian says, and that it works unpacked.
load helper

@test "the Debian package" {
	command -v cpack >/dev/null || skip "no cpack"
	command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-shlibdeps (dpkg-dev)"
	[ "$(dirname "$SNAG")" = "$root/build" ] || skip "only of the release build"
	cpack --config "$root/build/CPackConfig.cmake" -G DEB -B "$PWD/out" >log 2>&1 || { cat log; false; }
	deb=$(echo out/snag_*.deb)
	dpkg-deb -c "$deb" >list
	for file in bin/snag bin/snag-cc bin/snag-c++ share/snag/toolchain.cmake share/man/man1/snag-run.1.gz \
		lib/snag/tool.o share/doc/snag/copyright; do
		grep -qE " \./usr/$file( |$)" list
	done
	dpkg-deb -f "$deb" Depends | grep -q libjansson4
	# the runtime starts the tool where the package puts it
	dpkg-deb -x "$deb" tree
	grep -qa /usr/bin/snag tree/usr/lib/snag/tool.o
	if command -v lintian >/dev/null; then
		run timeout 120 lintian --fail-on error,warning "$deb"
		echo "$output"
		[ "$status" = 0 ]
	fi
	# unpacked elsewhere, it builds a program and finds its race
	cp "$root/docs/examples/report.c" .
	tree/usr/bin/snag cc -g -o report "$PWD/report.c"
	run tree/usr/bin/snag run ./report
	[ "$status" = 66 ]
}

# The commands of the workflow in docs/ci.md, as a runner runs them: a step that fails ends the job, but
# for steps of a job that has failed.
workflow() {
	awk '/^```yaml$/ { on = 1; next } /^```$/ { if (on) exit } on' "$root/docs/ci.md" | python3 -c '
import re, sys
only_failed = False
print("failed=")
for line in sys.stdin:
    if "- if: failure()" in line:
        only_failed = True
    m = re.match(r"\s+(?:- )?run: (.*)", line)
    if m and only_failed:
        print(f"[ -z \"$failed\" ] || {{ {m[1]}; }}")
    elif m:
        print(f"[ -n \"$failed\" ] || {{ {m[1]}; }} || failed=$?")
    if m:
        only_failed = False
print("exit ${failed:-0}")'
}

package() { # DEB
	command -v cpack >/dev/null || skip "no cpack"
	[ "$(dirname "$SNAG")" = "$root/build" ] || skip "only of the release build"
	cpack --config "$root/build/CPackConfig.cmake" -G DEB -B "$PWD/out" >log 2>&1 || { cat log; false; }
	mv out/snag_*.deb .
}

@test "from the package to a red CI job with an annotated line" {
	package
	cp "$root/docs/examples/report.c" .
	workflow >job.sh
	[ "$(grep -c . job.sh)" = 7 ]
	# the package that it names is the one that make deb makes
	[ -e "$(grep -o 'snag_[^ ]*\.deb' job.sh)" ]
	dpkg-deb -x snag_*.deb tree
	grep -v apt-get job.sh >unpacked.sh
	status=0
	PATH=$PWD/tree/usr/bin:$PATH sh unpacked.sh >out.txt 2>err.txt || status=$?
	cat err.txt
	[ "$status" = 66 ]
	grep -q '^::error file=report.c,line=24,' out.txt
}

@test "the same, installed by apt into a clean Debian 12" {
	[ -n "${SNAG_CLEAN_ROOT:-}" ] || skip "SNAG_CLEAN_ROOT names no root that debootstrap made"
	[ -e "$SNAG_CLEAN_ROOT/proc/self" ] || skip "/proc is not mounted in SNAG_CLEAN_ROOT"
	package
	folder=$(mktemp -d "$SNAG_CLEAN_ROOT/job.XXXXXX")
	cp snag_*.deb "$root/docs/examples/report.c" "$folder"
	workflow >"$folder/job.sh"
	clean() { # SCRIPT
		chroot "$SNAG_CLEAN_ROOT" env -i "PATH=$PATH" DEBIAN_FRONTEND=noninteractive sh -c "cd /$(basename "$folder") && $1"
	}
	status=0
	clean "exec sh job.sh" >out.txt 2>err.txt || status=$?
	tail -20 err.txt
	[ "$status" = 66 ]
	grep -q '^::error file=report.c,line=24,' out.txt
	clean "snag doctor" | grep -q 'snag works here'
}
